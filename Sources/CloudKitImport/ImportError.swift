/// Why a step of an import ends.
package enum ImportError: Error, Hashable, Sendable {
    /// The operator has interrupted the import.
    case interrupted
    /// The other server has rejected a request for a reason that the step may know how to handle.
    case rejected(code: String, reason: String)
    /// The import cannot go on. The sentences say what to do.
    case failed([String])

    /// Creates a failure with one sentence.
    package static func failed(_ sentence: String) -> ImportError { .failed([sentence]) }
}
