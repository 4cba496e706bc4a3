/// Answers requests; knows nothing of connections. Both of its steps run on the thread of a connection.
package protocol Site: Sendable {
    /// Takes a request in and decides how its answer waits. Returns `nil` where its connection is to be closed.
    func arrive(_ request: Request) -> Visit?
    /// Carries out a request once its gate is open and its latency has passed.
    func answer(_ visit: Visit) -> Reply
    /// Learns that a client closed its connection before the answer: the request is not carried out.
    func abandon(_ visit: Visit)
    /// Answers nothing more. A client whose connection closes repeats its request on another that is open still.
    func close()
}
