package import RecordModel

// Numbers with a type are bound and read as the numbers they are.

extension Bindable where Self: StoredID {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, rawValue) }
}

extension ColumnValue where Self: StoredID {
    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self.init(rawValue: statement.integer(column)) }
}

extension TypeID: Bindable, ColumnValue {}
extension IndexID: Bindable, ColumnValue {}
extension RecordNumber: Bindable, ColumnValue {}
extension ZoneID: Bindable, ColumnValue {}
extension AudienceID: Bindable, ColumnValue {}
extension UserID: Bindable, ColumnValue {}
extension RoleID: Bindable, ColumnValue {}
extension CallerID: Bindable, ColumnValue {}

extension Statement {
    /// As `number`.
    @inline(__always)
    package func id<ID: StoredID>() throws(RecordError) -> ID? {
        try number().map { ID(rawValue: $0) }
    }

    /// As `returnedNumber`.
    @inline(__always)
    package func returnedID<ID: StoredID>() throws(RecordError) -> ID {
        ID(rawValue: try returnedNumber())
    }
}
