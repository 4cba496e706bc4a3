import PigeonREST

/// Makes a yes of every success and a no of 404: GitHub answers so whether something is starred. Other errors stay.
struct TrueIfResourceFound: ResponseTransformer {
    func process(_ response: ResourceResponse) -> ResourceResponse {
        switch response {
        case .success(let entity):
            return .success(Entity(content: true, headers: entity.headers, timestamp: entity.timestamp))
        case .failure(let error) where error.httpStatusCode == 404:
            return .success(Entity(content: false, headers: error.entity?.headers ?? [:], timestamp: error.timestamp))
        case .failure: return response
        }
    }
}
