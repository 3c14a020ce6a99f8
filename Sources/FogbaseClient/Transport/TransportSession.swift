internal import Foundation
#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A session of `URLSession`, which ends when its last exchange has ended and nobody can start another one.
final class TransportSession: Sendable {
    private let session: URLSession
    private let exchanges: ExchangeTable

    init(_ configuration: URLSessionConfiguration) {
        exchanges = ExchangeTable()
        // One callback at a time, or the parts of a body could change places.
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
    }

    deinit {
        // A session holds its delegate until it is told that nothing more will come.
        session.finishTasksAndInvalidate()
    }

    /// Sends a request.
    ///
    /// - Parameter collects: Whether the answer comes with its whole body.
    func start(_ request: TransportRequest, collects: Bool) throws -> Exchange {
        try Task.checkCancellation()
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        message.timeoutInterval = request.timeout / .seconds(1)
        for (name, value) in request.fields { message.setValue(value, forHTTPHeaderField: name) }
        message.httpBody = request.body
        let task = session.dataTask(with: message)
        let exchange = Exchange(task, of: self, collects: collects)
        exchanges.insert(exchange, for: task)
        task.resume()
        return exchange
    }
}

/// The exchanges that go on in a session, and whom the session tells of them.
///
/// Unchecked: its table is behind a lock.
private final class ExchangeTable: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var exchanges: [Int: Exchange] = [:]

    func insert(_ exchange: Exchange, for task: URLSessionTask) {
        lock.withLock { exchanges[task.taskIdentifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        lock.withLock { exchanges[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = lock.withLock { exchanges.removeValue(forKey: task.taskIdentifier) }
        // Some versions of URLSession tell of the head of an empty answer here alone.
        if error == nil, let response = task.response { exchange?.receive(response) }
        exchange?.finish(error)
    }
}
