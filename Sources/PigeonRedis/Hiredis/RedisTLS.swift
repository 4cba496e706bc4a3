#if Redis
    internal import CHiredis
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonFleet

    /// The certificates of connections by TLS: those that are trusted, and the program's own.
    ///
    /// ```swift
    /// let tls = RedisTLS(authorities: "/etc/shop/authority.pem", certificate: "/etc/shop/own.pem")
    /// let store = try RedisStore("rediss://redis.internal", namespace: "shop", tls: tls)
    /// ```
    ///
    /// The server's certificate must be valid, and for the host of the address. The files are read when the store is
    /// created. Needs the trait `RedisTLS`.
    public struct RedisTLS: Sendable, Hashable {
        /// The path of a PEM file with the certificates of the authorities that are trusted. `nil` for those of the system,
        /// which OpenSSL finds, also by its environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR`.
        public var authorities: String?
        /// The path of a PEM file with the program's own certificate, and with those between it and an authority. `nil` if
        /// the server demands none.
        public var certificate: String?
        /// The path of a PEM file with the private key. `nil` if it is in the file of the certificate.
        public var key: String?

        /// Describes what is trusted.
        public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
        }
    }

    #if RedisTLS
        /// The settings from which OpenSSL makes each connection of a store.
        final class TLSContext: @unchecked Sendable {  // does not change after `init`, and OpenSSL counts its users
            private let context: OpaquePointer

            init(_ settings: RedisTLS) throws(RedisAddressError) {
                guard let context = SSL_CTX_new(TLS_client_method()) else { throw .needsTLS }
                self.context = context
                SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
                SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
                if let file = settings.authorities {
                    guard SSL_CTX_load_verify_locations(context, file, nil) == 1 else { throw .unusable(file: file) }
                } else {
                    SSL_CTX_set_default_verify_paths(context)
                }
                guard let file = settings.certificate else { return }
                guard SSL_CTX_use_certificate_chain_file(context, file) == 1 else { throw .unusable(file: file) }
                let key = settings.key ?? file
                guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 else {
                    throw .unusable(file: key)
                }
            }

            deinit {
                SSL_CTX_free(context)
            }

            /// Begins TLS on a connection, which ends it with itself.
            ///
            /// - Parameter host: The name or numeric address that the server's certificate must be for.
            /// - Returns: The state of TLS, which is valid as long as the connection.
            /// - Throws: The reason, if the server answers so fast that it is refused already.
            func begin(
                _ connection: UnsafeMutablePointer<redisContext>, with host: String
            ) throws(FleetError) -> OpaquePointer {
                guard let session = SSL_new(context) else { throw .unreachable }
                if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) != 1 {
                    SSL_set1_host(session, host)
                    var name = Array(host.utf8CString)
                    SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name)
                }
                guard redisInitiateSSL(connection, session) == REDIS_OK else {
                    defer { SSL_free(session) }
                    throw Self.problem(of: session).map(FleetError.refused) ?? .unreachable
                }
                return session
            }

            /// Clears OpenSSL's errors of this thread, which hiredis does not clear. Otherwise, an error of another
            /// connection would be reported for the next one.
            static func forgetErrors() { ERR_clear_error() }

            /// The reason why the server's certificate was refused. `nil` if it was accepted.
            static func problem(of session: OpaquePointer) -> String? {
                let result = SSL_get_verify_result(session)
                guard result != X509_V_OK, let text = X509_verify_cert_error_string(result) else { return nil }
                return "certificate: \(String(cString: text))"
            }
        }
    #else
        /// Unavailable without the trait `RedisTLS`.
        enum TLSContext: Sendable {
            init(_ settings: RedisTLS) throws(RedisAddressError) { throw .needsTLS }
            func begin(
                _ connection: UnsafeMutablePointer<redisContext>, with host: String
            ) throws(FleetError) -> OpaquePointer {
                throw .unreachable
            }
            static func forgetErrors() {}
            static func problem(of session: OpaquePointer) -> String? { nil }
        }
    #endif
#endif
