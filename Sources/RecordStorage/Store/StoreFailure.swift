/// A failure of the store: its kind and a text for the operator. The text never contains bound values, so the server
/// can log the text.
///
/// Other modules catch a `RecordError` without details. `Connection.failure` keeps the detailed failure.
package struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failures.
    package enum Kind: Hashable, Sendable {
        /// The disk is full.
        case full
        /// The disk quota of the server's user, or the limit of file sizes, is used up.
        case quotaUsedUp
        /// The file system is mounted read-only, or the kernel made the file system read-only after an error.
        case readOnly
        /// A sync failed. Linux marks the pages clean nevertheless, so a later successful sync proves nothing. The
        /// database accepts no writes until it is opened again.
        case syncFailed
        /// The statement was interrupted at its deadline, or because its task was canceled.
        case interrupted
        case other
    }

    /// The kind of the failure.
    package let kind: Kind
    /// The store's message and the statement, with placeholders.
    package let text: String

    /// Creates a failure.
    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// Whether a write found no space on the disk or in a quota.
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
