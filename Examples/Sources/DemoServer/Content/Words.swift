/// The words that the invented content is made of.
enum Words {
    static let givenNames = [
        "Amara", "Bruno", "Celia", "Dmitri", "Elif", "Farid", "Greta", "Hideo", "Ines", "Jonas", "Kaya", "Lorenz",
        "Mirela", "Nils", "Odette", "Pavel", "Quirin", "Rosa", "Sanjay", "Tove",
    ]
    static let familyNames = [
        "Abelard", "Birke", "Castellan", "Dahl", "Eriksen", "Fontaine", "Garrow", "Holm", "Ibarra", "Jansky",
        "Kestrel", "Lindqvist", "Marlow", "Novak", "Okafor", "Petrov", "Quill", "Rahimi", "Sorel", "Thorne",
    ]
    static let streets = ["Mill Lane", "Harbour Street", "Elm Row", "Station Road", "Orchard Way", "Old Bridge"]
    static let cities = [
        "Northferry", "Alderwick", "Port Selden", "Greymoor", "Lakeby", "Stonehaven Cross", "Westbury Sands",
    ]
    static let trades = ["Instruments", "Bakery", "Cartography", "Shipping", "Bookbinding", "Optics", "Orchards"]

    static let adjectives = [
        "quiet", "patient", "crooked", "bright", "forgotten", "careful", "windy", "early", "late", "borrowed", "small",
        "stubborn", "curious", "honest", "hollow", "slow", "sudden", "plain", "distant", "warm",
    ]
    static let things = [
        "lantern", "ferry", "garden", "letter", "kettle", "map", "orchard", "clock", "pigeon", "bicycle", "recipe",
        "window", "ladder", "notebook", "compass", "staircase", "umbrella", "workshop", "violin", "boat",
    ]
    static let places = [
        "by the harbour", "under the old bridge", "behind the station", "on the third floor", "at the edge of town",
        "in the reading room", "above the bakery", "beyond the hill", "near the lighthouse", "across the square",
    ]
    static let times = [
        "in March", "on a Sunday", "before breakfast", "after the rain", "at first light", "between two trains",
        "once a year", "most evenings", "in late summer", "when nobody looks",
    ]
    static let people = [
        "the neighbours", "my grandmother", "the postman", "two students", "the baker", "an old sailor",
        "the librarian", "our teacher", "the gardener", "a traveller",
    ]
    static let deeds = [
        "mended", "painted", "carried home", "found", "drew", "sold", "hid", "measured", "described", "polished",
        "forgot", "rebuilt",
    ]
    static let opinions = [
        "I had never thought of it that way", "This reminds me of my own", "Thank you for writing it down",
        "I would like to know how it ended", "We tried the same last year", "The second half surprised me",
        "I read it twice", "My brother says the opposite",
    ]
}
