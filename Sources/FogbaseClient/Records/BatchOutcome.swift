/// What became of the operations of a batch.
public struct BatchOutcome: Sendable {
    var results: [Result<any Sendable, FogbaseError>]
    /// The names of the operations' records, by which an operation of another batch is known.
    var names: [String]

    /// What one operation has written.
    ///
    /// - Throws: Why it was refused.
    public subscript<Value>(item: Batch.Item<Value>) -> Value {
        get throws { try result(of: item).get() }
    }

    /// The result of one operation.
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

    /// The errors of those that were refused, by their positions in the batch.
    public var failures: [Int: FogbaseError] {
        var failures: [Int: FogbaseError] = [:]
        for (index, result) in results.enumerated() {
            if case .failure(let error) = result { failures[index] = error }
        }
        return failures
    }

    /// Throws the error of the first operation that was refused, if one was: for those to whom a part is not enough.
    public func check() throws {
        for result in results { _ = try result.get() }
    }

    /// Why an atomic batch was not done: the error of the operation that was refused, where the others only say that one
    /// was. What cannot be read of an answer is no reason, since it was done.
    var refusal: FogbaseError? {
        let refusals = failures.sorted { $0.key < $1.key }.map(\.value).filter { $0.refusal != nil }
        return refusals.first { error in
            if case .batchFailed = error { return false }
            return true
        } ?? refusals.first
    }
}

extension FogbaseError {
    /// Whether it is the refusal of an operation of a batch.
    ///
    /// ```swift
    /// catch let error as FogbaseError where error.isAbout(draft) { … }
    /// ```
    public func isAbout<Value>(_ item: Batch.Item<Value>) -> Bool {
        refusal?.operation == item.position && recordName == item.name
    }
}
