#if Server
    public import Logging
    public import PigeonCore

    extension QueryClient {
        /// Writes what happens in the client to a logger, until the subscription ends.
        ///
        /// ```swift
        /// let logging = client.log(to: Logger(label: "cache"))
        /// ```
        ///
        /// A line says what happened and why, as `users/42 fetching (invalidated by mutation RenameUser)`. What failed after
        /// its retries, wrong use and problems of caches are warnings. What is retried and what is set aside is a notice.
        /// Everything else is for debugging. Lines contain keys and names of errors, and never what a server answered.
        ///
        /// The metadata of a line is `pigeon.query`, which is the first component of the key, `pigeon.key`, `pigeon.cause`,
        /// `pigeon.mutation`, and `error.type`.
        ///
        /// - Parameter logger: The logger. Called on the thread of each event.
        public func log(to logger: Logger) -> QuerySubscription {
            onEvent { event in
                let level = event.kind.level
                guard logger.logLevel <= level else { return }
                logger.log(level: level, "\(event)", metadata: event.metadata)
            }
        }
    }

    extension QueryEvent.Kind {
        var level: Logger.Level {
            switch self {
            case .retrying, .setAside: .notice
            case _ where isFailure: .warning
            default: .debug
            }
        }
    }

    extension QueryEvent {
        fileprivate var metadata: Logger.Metadata {
            var metadata: Logger.Metadata = ["pigeon.cause": "\(cause)"]
            if let key {
                metadata["pigeon.query"] = "\(key.family)"
                metadata["pigeon.key"] = "\(key)"
            }
            if let mutation { metadata["pigeon.mutation"] = "\(mutation)" }
            if let errorType { metadata["error.type"] = "\(errorType)" }
            return metadata
        }
    }
#endif
