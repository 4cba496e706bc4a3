internal import Crypto
internal import Foundation
internal import NIOSSL
internal import SwiftASN1
internal import X509

/// A certificate with its key, made for one run.
struct Identity {
    let certificate: Certificate
    private let key: P256.Signing.PrivateKey
    private let name: DistinguishedName

    /// An authority of its own, which no system trusts.
    static func authority() throws -> Identity {
        try Identity(name: "Pigeon Rigs Authority", host: nil, validFor: -1...10, signedBy: nil)
    }

    /// A server's identity.
    ///
    /// - Parameters:
    ///   - days: When it begins and ends to be valid, in days from now.
    ///   - authority: Signs it. `nil` for itself.
    static func server(host: String, validFor days: ClosedRange<Double> = -1...10, signedBy authority: Identity?) throws
        -> Identity
    {
        try Identity(name: host, host: host, validFor: days, signedBy: authority)
    }

    private init(name: String, host: String?, validFor days: ClosedRange<Double>, signedBy authority: Identity?) throws
    {
        let key = P256.Signing.PrivateKey()
        self.key = key
        let own = try DistinguishedName { CommonName(name) }
        self.name = own
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: days.lowerBound * 86_400),
            notValidAfter: Date(timeIntervalSinceNow: days.upperBound * 86_400),
            issuer: authority?.name ?? own, subject: own, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                if let host {
                    Critical(BasicConstraints.notCertificateAuthority)
                    SubjectAlternativeNames([.dnsName(host)])
                } else {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    Critical(KeyUsage(keyCertSign: true))
                }
            },
            issuerPrivateKey: .init(authority?.key ?? key))
    }

    var pem: String { get throws { try certificate.serializeAsPEM().pemString } }

    /// A server's side of TLS with this identity.
    func context(protocols: [String]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)))
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }
}
