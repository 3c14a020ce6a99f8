import RecordModel
import TestSupport

/// Names and types for tests of `SchemaEvolution`.
enum SampleSchema {
    static func type(
        _ name: String, id: TypeID = 1, grants: Grants = .standard, _ fields: [FieldDefinition] = [],
        indexes: [IndexDefinition] = []
    ) -> RecordTypeDefinition {
        RecordTypeDefinition(id: id, name: typeName(name), grants: grants, fields: fields, indexes: indexes)
    }

    static func field(
        _ id: Int, _ name: String, _ type: FieldType = .string, _ options: IndexOptions = [], readers: [String]? = nil,
        writers: [String]? = nil
    ) -> FieldDefinition {
        FieldDefinition(
            id: id, name: fieldName(name), type: type, options: options, readers: readers.map { Set($0.map(role)) },
            writers: writers.map { Set($0.map(role)) })
    }

    static func index(
        _ id: IndexID, _ fields: [Int], isUnique: Bool = false, isDeclared: Bool = true,
        _ state: IndexDefinition.State = .ready
    ) -> IndexDefinition {
        IndexDefinition(
            id: id, kind: .ordered, columns: shape(fields).columns, isUnique: isUnique, isDeclared: isDeclared,
            state: state)
    }

    static func shape(
        _ fields: [Int], isUnique: Bool = false, _ kind: IndexDefinition.Kind = .ordered
    ) -> IndexRequest.Shape {
        IndexRequest.Shape(kind: kind, columns: fields.map { .init(.field($0)) }, isUnique: isUnique)
    }

    static func typeName(_ text: String) -> RecordTypeName {
        guard let name = RecordTypeName(text) else { preconditionFailure("\(text) is no name") }
        return name
    }

    static func fieldName(_ text: String) -> FieldName {
        guard let name = FieldName(text) else { preconditionFailure("\(text) is no name") }
        return name
    }

    static func role(_ text: String) -> RoleName {
        guard let name = RoleName(text) else { preconditionFailure("\(text) is no name") }
        return name
    }
}

extension Schema {
    /// Applies steps as the writer does: types and indexes get the next numbers, and no index is built.
    mutating func apply(_ evolution: SchemaEvolution) {
        for step in evolution.steps {
            let numbers = types.values.flatMap { [$0.id.rawValue] + $0.maintainedIndexes.map(\.id.rawValue) }
            apply(step, number: (numbers.max() ?? 0) + 1)
        }
    }
}
