import Pigeon

extension QueryDefinition where Value == String {
    static func userName(_ id: Int) -> Self {
        QueryDefinition("users", id, "name") { _ in
            print("asking the server")
            try await Task.sleep(for: .milliseconds(500))  // stands for a request
            return "Ann"
        }
        .staleAfter(.seconds(30))
    }
}
