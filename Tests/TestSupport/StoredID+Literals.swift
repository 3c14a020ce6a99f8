package import RecordModel

// Tests write numbers as they are. The product does not: there, a number comes from the store.

extension StoredID {
    package init(integerLiteral value: Int64) { self.init(rawValue: value) }

    /// A number as SQL prints it; `nil` if it is none.
    package init?(text: some StringProtocol) {
        guard let number = Int64(text) else { return nil }
        self.init(rawValue: number)
    }
}

extension TypeID: ExpressibleByIntegerLiteral {}
extension IndexID: ExpressibleByIntegerLiteral {}
extension RecordNumber: ExpressibleByIntegerLiteral {}
extension ZoneID: ExpressibleByIntegerLiteral {}
extension AudienceID: ExpressibleByIntegerLiteral {}
extension UserID: ExpressibleByIntegerLiteral {}
extension RoleID: ExpressibleByIntegerLiteral {}
extension CallerID: ExpressibleByIntegerLiteral {}

extension StoredID {
    package static func + (left: Self, right: Int64) -> Self { Self(rawValue: left.rawValue + right) }
}
