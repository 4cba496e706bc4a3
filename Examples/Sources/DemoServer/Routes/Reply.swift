/// What the connection does for a request.
enum Reply {
    case response(Response)
    case reset
    case close
}
