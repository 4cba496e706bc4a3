internal import Foundation
internal import NIOSSL

/// A certificate with its key, made by `openssl` for one run.
struct Identity {
    /// The certificate, as PEM.
    let certificate: URL
    private let key: URL

    /// An authority of its own, which no system trusts.
    static func authority(in folder: Folder) throws -> Identity {
        try Identity(
            name: "Pigeon Rigs Authority", validFor: -1...10, signedBy: nil,
            extensions: ["basicConstraints = critical, CA:true", "keyUsage = critical, keyCertSign"], in: folder)
    }

    /// A server's identity.
    ///
    /// - Parameters:
    ///   - days: When it begins and ends to be valid, in days from now.
    ///   - authority: Signs it. `nil` for itself.
    static func server(
        host: String, validFor days: ClosedRange<Double> = -1...10, signedBy authority: Identity?, in folder: Folder
    ) throws -> Identity {
        try Identity(
            name: host, validFor: days, signedBy: authority,
            extensions: ["basicConstraints = critical, CA:false", "subjectAltName = DNS:\(host)"], in: folder)
    }

    private init(
        name: String, validFor days: ClosedRange<Double>, signedBy authority: Identity?, extensions: [String],
        in folder: Folder
    ) throws {
        let made = UUID().uuidString
        func file(_ suffix: String) -> URL { folder.file("\(made).\(suffix)") }
        (certificate, key) = (file("pem"), file("key"))
        try Data().write(to: file("index"))
        try Data(
            """
            [ca]
            default_ca = rigs
            [rigs]
            database = \(file("index").path)
            new_certs_dir = \(folder.url.path)
            default_md = sha256
            rand_serial = yes
            policy = names
            x509_extensions = extensions
            [names]
            commonName = supplied
            [extensions]
            \(extensions.joined(separator: "\n"))
            """.utf8
        ).write(to: file("cnf"))
        try Command.run(
            ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
                + ["-subj", "/CN=\(name)", "-keyout", key.path, "-out", file("request").path])
        let signer = authority.map { ["-cert", $0.certificate.path, "-keyfile", $0.key.path] }
        try Command.run(
            ["openssl", "ca", "-batch", "-notext", "-config", file("cnf").path, "-in", file("request").path]
                + ["-startdate", Self.date(days.lowerBound), "-enddate", Self.date(days.upperBound)]
                + ["-out", certificate.path] + (signer ?? ["-selfsign", "-keyfile", key.path]))
    }

    /// A server's side of TLS with this identity.
    func context(protocols: [String]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.path).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key.path, format: .pem)))
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }

    /// A date as openssl reads it, in days from now.
    private static func date(_ days: Double) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyMMddHHmmss'Z'"
        return formatter.string(from: Date(timeIntervalSinceNow: days * 86_400))
    }
}
