internal import RecordModel
extension RecordDatabase {
    nonisolated func addIndexes(_ wish: IndexWish, to typeName: RecordTypeName) async throws(RecordError)
        -> [IndexDefinition]
    { [] }
}
