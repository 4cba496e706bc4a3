/// Where the time of each figure goes, from profiles; shown for those that miss their target.
enum Notes {
    private static let session = """
        Only a session's delegate can decline redirects, limit bodies and report progress. On Linux, each delegate \
        call is dispatched to a queue: three times for each request, where the bare client's closure needs one. The \
        calls cannot run on the session's own thread, because `cancel()` waits for that thread.
        """

    private static let memory = """
        The key, which is built at each call, is in the floor too, and is most of it. The rest is an object for each \
        value, the estimate of its size, and the order of use.
        """

    private static let load = """
        A load runs in a task of its own, because it may outlive the caller that awaits it, so its end resumes one task \
        more than a request of PigeonHTTP. Its own work (W11.load.own less its floor) is spread out: a third is the \
        client's fetch, from its beginning to the landing of the response, a third the request and its life, and the rest \
        the conversions between URLRequest, the transport's request and the entity.
        """

    private static let subscribed = """
        Attaching the observer takes half, and reading the cache and landing what it has in a second transaction a \
        quarter. Looking up types of unspecialized code takes a seventh, the publisher and OpenCombine a tenth.
        """

    static let reasons: [String: String] = [
        "W1.retained": """
        The mutex and the reference counts of the value's box and of what the value holds are two atomic operations \
        each, some 5 ns apiece; the rest is the call and the check of the value's type.
        """,
        "W1.key": keyed,
        "W1.writes8": """
        Writes of one client take turns under its lock, so eight threads write about as fast as one.
        """,
        "W12.set": memory,
        "W12.get": memory,
        "W12.full": memory,
        "W1.definition": keyed,
        "W2.create": """
        The system takes a third: creating, running and freeing the task of the fetch. The rest is spread out: \
        inserting the entry into its dictionary and index 20 %, storing the value 15 %, key and definition 12 %, \
        suspending the caller 5 %, the clock 3 %.
        """,
        "W2.bytes": """
        The entry and its place take some 430 bytes, the definition's fetcher and closures 160, the dictionary 65, \
        the value's box 32, the alarm that collects it 26, the index 13.
        """,
        "W3.notified": "See W4.notify; what remains is the resumption of the fetcher's task on another thread.",
        "W4.notify": """
        A notification is ten atomic operations: the observer's mutex, and the reference counts of its listeners, \
        of the snapshot and of what the callback captures. The callback itself is a third.
        """,
        "W6.pages200": """
        Adding the page takes 15 %, freeing what each load leaves 20 %, running a task for it 20 %; the rest is as in \
        W2.create.
        """,
        "W6.growth": "A page is added to a copy of its chunk and of the list of chunks, one for each 32 pages.",
        "W7.write": "Encoding is a third; the rest is SQLite's, a row and an index entry for each record.",
        "W7.behind": """
        Encoding is a fifth, and the client's writes, with the comparison of each value to the one before, a seventh; \
        the rest is one SQLite transaction of all the records.
        """,
        "W7.read": """
        JSON decoding takes three quarters of the time, as in the floor; SQLite and copying take the rest.
        """,
        "W9.session1.cost": session,
        "W9.session64.cost": session,
        "W9.ahc1.cost": """
        The library's own work is 1.2 µs (W9.library). The rest is one task more a request: the body is read in a task of its \
        own, which a timeout can end, and whose end wakes the caller's thread, some 15 µs. With 64 requests in flight no \
        thread sleeps, and the cost is gone.
        """,
        "W9.ahc64.cost": "See W9.ahc1.cost; what remains is the copy of the body and of the header fields.",
        "W10.first": """
        The engine takes half: creating and finding an entry, attaching an observer, and notifying both. The \
        publisher's own objects take a sixth, reading the cache a seventh, the state a tenth. Reference counts in \
        cold memory take a quarter of the total.
        """,
        "W10.notify.cost": """
        All subscribers of a query share one observer of the entry. Each subscriber of a store has its own, because it \
        can have its own options: its lock is taken twice for a state. A third lock guards the state itself, which is \
        made once. The rest is the same.
        """,
        "W10.subscribe100": subscribed,
        "W10.subscribe1000": subscribed,
        "W10.subscribe10000": subscribed,
        "W10.reread": """
        The transaction takes half: finding the entry, noting its use, and computing its deadlines. Reading the cache \
        takes a tenth, looking up types of unspecialized code a sixth.
        """,
        "W11.load.cost": load,
        "W11.load.ahc.cost": load,
        "W7.hydrate": """
        Each entry is read separately, when it is first accessed. That takes a statement and a read transaction, \
        some 7 µs, and decoding one value with its own decoder, some 6 µs. The floor does the same with GRDB alone, \
        and also misses the target. The engine adds 5 µs: inserting the entry, and attaching and detaching an \
        observer. `records(under:)` reads all records with one statement, see W7.read.
        """,
        "W8.mutation": """
        A third is the idempotency key: two numbers from the system's random source and their text. The name of \
        the mutation's type takes 15 %, four transactions with their look at the clock the rest.
        """,
    ]

    private static let keyed = """
        Most of the time is the floor: hashing the key, and reading a dictionary and an object from cold memory. The \
        engine adds marking the entry as used, and reference counting of the value.
        """
}
