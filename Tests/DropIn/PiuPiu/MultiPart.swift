import Foundation
import PigeonFutures
import Testing

@Suite("PiuPiu 1.3.1: multipart requests")
struct MultiPartTests {
    @Test("MultiPartRequest: initialiser and properties")
    func properties() {
        var request = MultiPartRequest(method: .post, path: "/photos")
        request.method = .put
        request.path = "/photos/1"
        request.queryItems = [URLQueryItem(name: "size", value: "small")]
        request.headers["X-App"] = "Piu"
        #expect(request.method == .put && request.path == "/photos/1" && request.httpBody == nil)
        #expect(request.queryItems.count == 1 && request.headers == ["X-App": "Piu"])
    }

    @Test("MultiPartRequest: a file, with each default left out and given")
    func files() throws {
        var request = MultiPartRequest(method: .post, path: "/photos")
        request.setHTTPBody(file: Data("piu".utf8), fileName: "a.txt", mimeType: "text/plain")
        #expect(try text(request).contains(#"name="file"; filename="a.txt""#))
        request.setHTTPBody(file: Data("piu".utf8), fileFieldName: "image", fileName: "a.txt", mimeType: "text/plain")
        #expect(try text(request).contains(#"name="image"; filename="a.txt""#))
        request.setHTTPBody(
            file: Data("piu".utf8), fileName: "a.txt", mimeType: "text/plain", parameters: ["title": "Lasers"])
        #expect(try text(request).contains("\"title\"\r\n\r\nLasers\r\n"))
        request.setHTTPBody(
            file: Data("piu".utf8), fileFieldName: "image", fileName: "a.txt", mimeType: "text/plain",
            parameters: ["title": "Lasers"])
        let parts = try text(request)
        #expect(parts.contains("Content-Type: text/plain\r\n\r\npiu\r\n") && parts.contains("Lasers"))
    }

    @Test("MultiPartRequest: parameters alone; the headers name the boundary")
    func parameters() throws {
        var request = MultiPartRequest(method: .post, path: "/photos")
        request.setHTTPBody(parameters: ["title": "Lasers", "album": "1"])
        let type = try #require(request.headers["Content-Type"])
        let boundary = try #require(type.components(separatedBy: "boundary=").last)
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        #expect(try text(request).hasSuffix("--\(boundary)--\r\n"))
        // guide: `MultiPartRequest.headers["Content-Length"]`
        #expect(request.headers["Content-Length"] == nil)
    }

    @Test("guide: names of files and fields are escaped, in the caller's order (P15)")
    func escaped() throws {
        var request = MultiPartRequest(method: .post, path: "/photos")
        // guide: P15
        request.append("1", name: "b")
        request.append("2", name: "a\"; evil=\"")
        let parts = try text(request)
        let b = try #require(parts.range(of: "name=\"b\""))
        let a = try #require(parts.range(of: "name=\"a%22; evil=%22\""))
        #expect(b.upperBound < a.lowerBound)
    }

    @Test("guide: a body made by hand goes in a BasicRequest")
    func ownBody() {
        // guide: `MultiPartRequest.httpBody = data`
        var request = BasicRequest(
            method: .post, path: "/photos", headers: ["Content-Type": "multipart/form-data; boundary=x"])
        request.httpBody = Data("--x--\r\n".utf8)
        #expect(request.httpBody?.count == 7)
    }

    private func text(_ request: MultiPartRequest) throws -> String {
        String(decoding: try #require(request.httpBody), as: UTF8.self)
    }
}
