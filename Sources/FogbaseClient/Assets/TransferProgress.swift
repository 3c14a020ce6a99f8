/// How far an upload or a download is.
public struct TransferProgress: Hashable, Sendable {
    /// The bytes that have arrived and will not be sent again.
    public var completedBytes: Int64
    /// `nil` while the length is not known.
    public var totalBytes: Int64?

    /// A state of a transfer, in bytes.
    public init(completedBytes: Int64, totalBytes: Int64? = nil) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
    }

    /// From 0 to 1; `nil` while the length is not known.
    public var fraction: Double? {
        totalBytes.map { $0 == 0 ? 1 : Double(completedBytes) / Double($0) }
    }
}

/// Is told how far an upload or a download is: each time further, but for one that had to begin anew.
public typealias ProgressHandler = @Sendable (TransferProgress) -> Void
