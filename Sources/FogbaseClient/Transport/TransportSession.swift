internal import Foundation
#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A `URLSession` that is invalidated when the last reference is released. Each running exchange has a reference.
final class TransportSession: Sendable {
    private let session: URLSession
    private let exchanges: ExchangeTable

    init(_ configuration: URLSessionConfiguration) {
        exchanges = ExchangeTable()
        // Allow one callback at a time, to keep the parts of a body in order.
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
    }

    deinit {
        // Invalidate the session, because a session retains its delegate until then.
        session.finishTasksAndInvalidate()
    }

    /// Sends a request.
    ///
    /// - Parameter collects: Whether the exchange collects the whole body before it returns the response.
    /// - Throws: `CancellationError` if the task was canceled.
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

/// The delegate of a session. It passes the session's events to the running exchanges.
///
/// Sendable is unchecked, because a lock protects the table.
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
        // Some versions of URLSession report the head of an empty response only in this callback.
        if error == nil, let response = task.response { exchange?.receive(response) }
        exchange?.finish(error)
    }
}
