package import RecordModel

// Statements bind and read a typed ID as its number.

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
extension JobID: Bindable, ColumnValue {}
extension ScheduleID: Bindable, ColumnValue {}
extension ShareID: Bindable, ColumnValue {}

extension Statement {
    /// Returns the first column of the first row as an ID; `nil` without a row or for NULL.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    @inline(__always)
    package func id<ID: StoredID>() throws(RecordError) -> ID? {
        try number().map { ID(rawValue: $0) }
    }

    /// Runs an INSERT or UPDATE that returns one ID, and resets the statement.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    @inline(__always)
    package func returnedID<ID: StoredID>() throws(RecordError) -> ID {
        ID(rawValue: try returnedNumber())
    }
}
