/// The words that the invented content is made of.
enum Words {
    static let adjectives = [
        "amber", "brisk", "calm", "dusty", "eager", "faint", "gentle", "hidden", "idle", "jolly", "keen", "lucid",
        "mellow", "nimble", "odd", "plain", "quiet", "rapid", "silent", "tidy",
    ]
    static let things = [
        "anchor", "beacon", "compass", "drum", "engine", "ferry", "garden", "harbour", "index", "journal", "kettle",
        "lantern", "mirror", "notebook", "orchard", "parser", "queue", "router", "socket", "tracker",
    ]
    static let purposes = [
        "reads tide tables", "draws maps of small islands", "keeps notes in plain text", "counts birds",
        "schedules trains", "plays old records", "finds the shortest way home", "renders 日本語 text",
        "sends postcards ✉️", "waters plants 🌱", "translates façade and naïve", "measures the weather",
    ]
    static let languages = ["Swift", "Rust", "C", "Go", "Python", "Shell", "HTML", "Zig", "Haskell", "Ruby"]
}
