/// The system fields that an import takes from its data instead of from the server.
package struct PreservedMetadata: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The time and user of the creation.
    package static let created = PreservedMetadata(rawValue: 1)
    /// The time and user of the last change.
    package static let modified = PreservedMetadata(rawValue: 2)
}
