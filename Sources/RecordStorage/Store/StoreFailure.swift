/// A failure of the store: what kind it is, and a text for the operator. The text never has bound values, so it may be logged.
///
/// Callers above this module get a `RecordError`, which tells clients no more than they may know. The failure behind it stays
/// on the connection (`Connection.failure`).
package struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The disk is full.
        case full
        /// The disk quota of the server's user, or the limit of file sizes, is used up.
        case quotaUsedUp
        /// The file system was mounted read-only, or made so by the kernel after an error.
        case readOnly
        /// A sync to the disk failed. Linux marks the pages clean nevertheless, so a later sync that succeeds proves nothing:
        /// the database takes no more writes until it is opened again.
        case syncFailed
        /// The statement was stopped at its deadline, or because its task was cancelled.
        case interrupted
        case other
    }

    package let kind: Kind
    /// The store's message and the statement, with placeholders.
    package let text: String

    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// A write found no room, whether on the disk or in a quota.
    package var isStorageFull: Bool { kind == .full || kind == .quotaUsedUp }

    package var description: String {
        switch kind {
        case .full: "The disk is full (\(text))"
        case .quotaUsedUp: "The disk quota is used up (\(text))"
        case .readOnly: "The file system is read-only (\(text))"
        case .syncFailed, .interrupted, .other: text
        }
    }
}
