/// What the connection does for a request.
package enum Reply {
    case response(Response)
    /// A response that outlives the other connections: they are closed, as the server goes offline with it.
    case lastResponse(Response)
    case reset
    case close
}
