/// How each workload is taken, and where the time of each figure goes, from profiles.
enum Notes {
    /// How each workload is taken, and what it leaves out.
    static let taken: [String: String] = [
        "W1": """
        Entries are created in one order and read in another. The floor is a `[String: User]` under a mutex. Leaves out \
        more than 10,000 keys, for which see W13, and keys that are in the processor's cache.
        """,
        "W2": """
        The fetcher answers at once, without suspending. The floor stores the value under the same key in a dictionary. \
        Leaves out the network, a persistent cache and observers.
        """,
        "W3": """
        W3.notified begins when 1,000 observers are attached and the fetch is in flight; W3.whole begins before. Leaves out \
        observers on several threads and actors.
        """,
        "W4": """
        Each callback reads the value. The observers of one key are notified one after the other on the writing thread. \
        Leaves out the hop to another actor.
        """,
        "W5": "No key is observed and none is persisted. Leaves out refetches, and writes that are pending: see W13.",
        "W6": "The fetcher makes each page at once. Leaves out observers, edits and lists that drop pages: see W13.",
        "W7": """
        W7.behind sets values that no read has loaded before, so that the client looks for each in the database; \
        W7.behind.read omits this. Transactions do not wait for the disk (`synchronous` is `NORMAL`), in the floor, too.
        """,
        "W8":
            "The mutation's function answers at once. Leaves out the network, retries and mutations that wait in a scope.",
        "W9": """
        The server is another process with one thread, and shares the machine's cores with the bench. W9.library, W9.series \
        and W9.parallel use a transport that answers at once. Leaves out TLS, large bodies and slow networks.
        """,
        "W10":
            "The store's cache is a dictionary in memory. Leaves out caches that suspend. Stores are made before the clock starts.",
        "W11": """
        Observers are notified on the main thread, which is another one than the loading one. Leaves out decoding: the \
        service has no transformers.
        """,
        "W12": "The values fit into the cache but for W12.full, which removes one for each that it saves.",
        "W13": """
        Processor time of all threads, once, without a median. Elements are made one by one, and the time of one is the \
        average. An exponent of 0 means that the time does not depend on the number, and 1 that it is proportional to it.
        """,
        "W14": """
        The floor of W14.accept commits a row of the same bytes with `synchronous = FULL`, in turns with the outbox, both in \
        files whose logs no longer grow. How long that takes depends on the disk more than on anything else. The time of \
        W14.start ends with the first read of a value that a waiting mutation changes.
        """,
        "W15": """
        Needs `redis-server`, which shares the processors with the clients. All members are clients of one process. Leaves \
        out the way between machines. In W15.hits64, the floor sends 64 commands in one write.
        """,
    ]

    private static let session = """
        On Linux, whoever makes or starts a task waits for the session's queue (`workQueue.sync`): twice for each \
        request, and each time the queue is handed to the waiting thread and back, which wakes up a thread each time. \
        The bare client waits in the threads of the pool. The library must not block these: it hands each request to a \
        thread of its own, and the pool's threads sleep meanwhile and are woken up by each answer. The delegate's \
        three calls are made on the session's own thread, and wake up nobody.
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

    private static let cancelled = """
        Detaching the observer takes half, freeing it and the subscription a fifth, looking up types of unspecialized code an \
        eighth.
        """

    static let reasons: [String: String] = [
        "W10.cancel100": cancelled,
        "W10.cancel1000": cancelled,
        "W1.retained": """
        The mutex and the reference counts of the value's box and of what the value holds are two atomic operations \
        each, some 5 ns apiece; the rest is the call and the check of the value's type.
        """,
        "W1.key": keyed,
        "W1.reads8": """
        Making the key takes most of the time, as in W1.key, and the floor makes one text. Reads of one client take turns \
        under its lock, but hold it for a short time.
        """,
        "W1.writes8": """
        Writes of one client take turns under its lock, so eight threads write about as fast as one.
        """,
        "W14.accept": """
        The transaction is the floor's: one page, written by the thread of the caller. Of some 55 µs beside it, the outbox \
        takes 20 (edits, its machine, who observes it), the statement with its 16 columns 10, JSON 8, and reading the last \
        revision 5. The same system calls take 12 longer than in the floor, whose loop finds its code in the caches of the \
        processor. On a disk whose commit takes 200 µs, the target is met.
        """,
        "W15.hit": """
        The floor's thread sleeps until the answer is there. Here the caller's task wakes the thread that waits for the \
        server, that one the task that waits for the store, and this one the fetch: three wake-ups, some 30 µs each. To send \
        the command from the caller's thread was tried, and gained nothing in five pairs. Decoding the value is the rest.
        """,
        "W15.hits64": """
        Decoding the values takes a sixth of the processor time, and the floor does not do it. The thread of the \
        connection takes a sixth, most of it in system calls, and the allocator a fifth, for some 100 allocations. The \
        task that calls the store and the engine's fetch are the rest.
        """,
        "W17.newer": """
        The worst case: each of the 1,000 items is new, and another list takes all of them. Identifiers are made into texts and \
        hashed once for the index, and once for each of the lists; the other list is copied and compared.
        """,
        "W17.update": """
        The floor is the same two edits by their keys. An edit by item looks the entries up, commits both in one transaction, and \
        delivers them as one change.
        """,
        "W17.write": """
        For a normalized cache in memory, Apollo publishes some 800 ms for the write, and 490 ms for the read, of 10,000 records of \
        two fields, on a phone of 2017 (apollo-kotlin-normalized-cache, "Performance", December 2025). That machine is slower than \
        this one, but not a hundred times. Here a value stays as it came: it is indexed, not taken apart.
        """,
        "W12.set": memory,
        "W12.get": memory,
        "W12.full": memory,
        "W1.held": """
        The dictionary and its entry, the value's box and the value are in four places of cold memory, where the \
        floor's are in two. Marking the entry as used, and reference counts, are the rest.
        """,
        "W1.definition": """
        The definition is five allocations: the components of its key, its tag, its fetcher with the closure that it wraps, \
        and its options (COUNTS.md). The read alone is W1.key.
        """,
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
        of the snapshot and of what the callback captures. Reading the value is a cast, and a copy that counts again.
        """,
        "W6.pages200": """
        Adding the page takes 15 %, freeing what each load leaves 20 %, running a task for it 20 %; the rest is as in \
        W2.create.
        """,
        "W6.growth": "A page is added to a copy of its chunk and of the list of chunks, one for each 32 pages.",
        "W7.write": "Encoding is a third; the rest is SQLite's, a row and an index entry for each record.",
        "W7.behind": """
        Half of the time, the client looks for each record in the database, and decodes it, to compare the values: \
        W7.behind.read leaves this out. The rest is as there.
        """,
        "W7.behind.read": """
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
        Making the key costs more than half: compare W1.held. A key joins its components to one text, escapes it and \
        hashes it. The rest is an entry and a value in cold memory, marking the entry as used, and reference counts.
        """
}
