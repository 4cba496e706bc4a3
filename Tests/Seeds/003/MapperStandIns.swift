import Foundation

// The smallest that the examples for ObjectMapper and MapCodableKit need of them.

protocol MapContextType {}

typealias MapContext = any MapContextType

protocol BaseMappable {
    init?(map: [String: Any])
    var map: [String: Any?] { get }
}

struct Mapper<N: BaseMappable> {
    var context: MapContext?
    var shouldIncludeNilValues = false

    init(context: MapContext? = nil, shouldIncludeNilValues: Bool = false) {
        self.context = context
        self.shouldIncludeNilValues = shouldIncludeNilValues
    }

    func toJSONString(_ object: N) -> String? { json(fields(of: object)) }
    func toJSONString(_ objects: [N]) -> String? { json(objects.map(fields)) }

    func map(JSONString: String) -> N? {
        (parsed(JSONString) as? [String: Any]).flatMap(N.init)
    }

    func mapArray(JSONString: String) -> [N]? {
        (parsed(JSONString) as? [[String: Any]])?.compactMap(N.init)
    }

    func mapDictionary(JSONString: String) -> [String: N]? {
        (parsed(JSONString) as? [String: [String: Any]])?.compactMapValues(N.init)
    }

    func mapDictionaryOfArrays(JSONObject: Any) -> [String: [N]]? {
        (JSONObject as? [String: [[String: Any]]])?.mapValues { $0.compactMap(N.init) }
    }

    private func fields(of object: N) -> [String: Any] {
        object.map.compactMapValues { $0 ?? (shouldIncludeNilValues ? NSNull() : nil) }
    }

    private func json(_ object: Any) -> String? {
        guard JSONSerialization.isValidJSONObject(object) else { return nil }
        return (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private func parsed(_ text: String) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(text.utf8))
    }
}

/// Public, because the example that needs it is.
public protocol MapEncodable {
    /// The value as JSON.
    func jsonData(options: JSONSerialization.WritingOptions) throws -> Data
}

protocol MapDecodable {
    init(jsonData: Data) throws
    static func parseArray(jsonData: Data) throws -> [Self]
}
