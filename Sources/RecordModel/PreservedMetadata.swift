/// What an import says of records instead of the server.
package struct PreservedMetadata: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// When a record was made, and by whom.
    package static let created = PreservedMetadata(rawValue: 1)
    /// When it was last changed, and by whom.
    package static let modified = PreservedMetadata(rawValue: 2)
}
