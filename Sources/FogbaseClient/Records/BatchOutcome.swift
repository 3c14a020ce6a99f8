/// The results of the operations of a batch.
public struct BatchOutcome: Sendable {
    var results: [Result<any Sendable, FogbaseError>]
    /// The record names of the operations. They are used to detect items of other batches.
    var names: [String]

    /// The result of one operation, such as the saved record.
    ///
    /// - Throws: The `FogbaseError` of the operation; `invalidArgument` if the item belongs to another batch.
    public subscript<Value>(item: Batch.Item<Value>) -> Value {
        get throws { try result(of: item).get() }
    }

    /// Returns the result or the error of one operation.
    public func result<Value>(of item: Batch.Item<Value>) -> Result<Value, FogbaseError> {
        guard results.indices.contains(item.position), names[item.position] == item.name else {
            return .failure(.invalidArgument("The operation is of another batch"))
        }
        return results[item.position].flatMap { value in
            guard let value = value as? Value else {
                return .failure(.invalidArgument("The operation is of another batch"))
            }
            return .success(value)
        }
    }

    /// The errors of the rejected operations, by their index in the batch.
    public var failures: [Int: FogbaseError] {
        var failures: [Int: FogbaseError] = [:]
        for (index, result) in results.enumerated() {
            if case .failure(let error) = result { failures[index] = error }
        }
        return failures
    }

    /// Throws the error of the first rejected operation. If no operation was rejected, the call does nothing.
    ///
    /// Call this method after a batch that is not atomic, if every operation must succeed.
    ///
    /// - Throws: The `FogbaseError` of the first rejected operation.
    public func check() throws {
        for result in results { _ = try result.get() }
    }

    /// The error of the operation that caused the server to reject an atomic batch. All other operations have the error
    /// `batchFailed`.
    ///
    /// Errors from reading the response are ignored, because the server has executed the batch.
    var rejection: FogbaseError? {
        let rejections = failures.sorted { $0.key < $1.key }.map(\.value).filter { $0.serverError != nil }
        return rejections.first { error in
            if case .batchFailed = error { return false }
            return true
        } ?? rejections.first
    }
}

extension FogbaseError {
    /// Returns whether the error was caused by the given operation of a batch.
    ///
    /// ```swift
    /// catch let error as FogbaseError where error.isAbout(draft) { … }
    /// ```
    public func isAbout<Value>(_ item: Batch.Item<Value>) -> Bool {
        serverError?.operation == item.position && recordName == item.name
    }
}
