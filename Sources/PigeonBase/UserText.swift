package import Foundation

/// A text that the library shows to users: of an error, or in one of its views.
///
/// An app replaces a text, or adds a language, in a file `Pigeon.strings` among its own resources, under the text's
/// ``key``. A text that the file leaves out is looked up in the app's default table, under the English text: Siesta has
/// its texts there, and SwiftUI those of views.
///
/// The texts are code, not resources. A program that is copied without its resource bundle, as programs on servers
/// are, would end at the first use of `Bundle.module`.
package enum UserText: String, CaseIterable, Sendable {
    // The network.
    case offline, timedOut, connectionLost, cannotConnect, hostNotFound, noSecureConnection
    case badAddress, unsupportedAddress, badRedirect, badAnswer, answerTooLarge
    // Requests, in Siesta's words.
    case invalidURL, cannotSend, cannotParse, noData, notAvailableOffline, cancelled, requestFailed
    // Statuses.
    case notSignedIn, notAllowed, notFound, refused, tooManyRequests, serverTrouble
    // Files and caches.
    case cannotSaveFile, storageFailed, cannotRemoveData
    // Any other error.
    case somethingWentWrong
    // Views.
    case retry, refresh, nothingHere, waitingForNetwork, notLoaded, loading, loaded
    // The outbox. `%@` stands for a number greater than one.
    case changeWaiting, changesWaiting, changeNotMade, changesNotMade
}

extension UserText {
    /// The languages of the library's own texts. The first is used if a user prefers none of them.
    package static let languages = ["en", "de", "fr"]

    /// The key of the text in the app's table, such as `pigeon.offline`.
    package var key: String { "pigeon.\(rawValue)" }

    /// The app's own text, or else the library's, in the language of the app.
    package var text: String { text(overriddenBy: .main) }

    /// Returns the text of a bundle, or else the library's, in the language of the app.
    package func text(overriddenBy bundle: Bundle) -> String {
        appText(in: bundle) ?? text(in: Self.language)
    }

    /// Returns the text that replaces this one in a bundle, or `nil`.
    package func appText(in bundle: Bundle = .main) -> String? {
        bundle.text(for: key, inTable: "Pigeon") ?? bundle.text(for: english, inTable: nil)
    }

    /// Returns one of two texts for a number of things.
    package static func text(_ one: UserText, _ many: UserText, of count: Int) -> String {
        count == 1 ? one.text : many.text.replacingOccurrences(of: "%@", with: count.formatted())
    }

    /// Returns the library's text in one of its ``languages``. In any other language, it is the English text.
    package func text(in language: String) -> String {
        switch language {
        case "de": german
        case "fr": french
        default: english
        }
    }

    /// The library's language that fits the app's best. An app that is only in English shows no German text among its
    /// own, whatever the user prefers. On Linux, Foundation reports that all users prefer English.
    private static var language: String { Bundle.preferredLocalizations(from: languages).first ?? "en" }
}

extension Bundle {
    /// Returns the text of a key, or `nil` if the table does not have it.
    fileprivate func text(for key: String, inTable table: String?) -> String? {
        // No text contains this character. Foundation may decorate a value that it returns, to test layouts.
        let missing = "\u{FFFD}"
        let text = localizedString(forKey: key, value: missing, table: table)
        return text.contains(missing) ? nil : text
    }
}
