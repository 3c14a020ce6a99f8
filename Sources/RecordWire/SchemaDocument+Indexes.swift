package import RecordModel

extension SchemaDocument {
    /// An index that a type declares: `{"fields":["threadname","-timestamp"],"unique":true}`.
    package struct IndexEntry: Hashable, Sendable {
        /// The columns, in the order of comparison.
        package var columns: [ColumnName]
        /// Whether the index is UNIQUE.
        package var isUnique: Bool
        /// The state of an index that is not ready. Responses contain it; reading a document ignores it.
        package var progress: IndexState?

        /// Creates an entry from its columns.
        package init(columns: [ColumnName], isUnique: Bool = false, progress: IndexState? = nil) {
            self.columns = columns
            self.isUnique = isUnique
            self.progress = progress
        }
    }

    /// The state of an index that does not serve queries.
    package enum IndexState: Hashable, Sendable {
        /// The index is being built.
        ///
        /// - Parameter built: The number of records in the index.
        case building(built: Int)
        case failed(String)

        /// Returns the state of an index; `nil` for a ready index.
        ///
        /// - Parameters:
        ///   - built: The number of records in each index that is being built, by its number.
        ///   - namesRecords: Whether the reason of a failure may name records.
        init?(_ index: IndexDefinition, built: [IndexID: Int], namesRecords: Bool) {
            switch index.state {
            case .ready: return nil
            case .building: self = .building(built: built[index.id] ?? 0)
            case .failed(let reason): self = .failed(namesRecords ? reason : Self.namelessReason)
            }
        }

        /// Why an index has failed, for a caller that may not read all records of the type.
        package static let namelessReason =
            "Records of the type do not fit the index. Callers that can read all of them see which"

        var members: [(String, JSONValue)] {
            switch self {
            case .building(let built): [("state", "building"), ("built", .integer(Int64(built)))]
            case .failed(let reason): [("state", "failed"), ("reason", .string(reason))]
            }
        }

        /// The keys that `members` writes. Documents may contain these keys, but reading ignores them.
        static let keys = ["state", "built", "reason"]
    }
}

extension SchemaDocument.IndexEntry {
    /// Creates the entry of an index. The entry contains the names of the columns.
    ///
    /// - Parameters:
    ///   - built: The number of records in each index that is being built, by its number.
    ///   - namesRecords: Whether the reason of a failure may name records.
    package init(
        _ index: IndexDefinition, of type: RecordTypeDefinition, built: [IndexID: Int], namesRecords: Bool = true
    ) {
        self.init(
            columns: index.columns.map { column in
                ColumnName(
                    type.field(of: column.source)?.name ?? "", isAscending: column.isAscending, form: column.form,
                    kind: index.kind.isNamed ? index.kind : nil)
            }, isUnique: index.isUnique,
            progress: SchemaDocument.IndexState(index, built: built, namesRecords: namesRecords))
    }

    /// Reads an index of a type.
    ///
    /// - Parameters:
    ///   - fields: The fields of the type in the same document.
    ///   - path: The path of the value, for error messages.
    /// - Throws: `BAD_REQUEST` with the path.
    init(_ value: JSONValue, fields: [SchemaDocument.FieldEntry], path: String) throws(RecordError) {
        let object = try SchemaDocument.object(
            value, path, keys: ["fields", "unique"], echoed: SchemaDocument.IndexState.keys,
            example: #"{"fields":["-score"]}"#)
        guard let names = object["fields"]?.array else {
            throw SchemaDocument.invalid(
                "An index needs 'fields', a list of names; a minus before one means descending", path)
        }
        if let value = object["unique"], value.bool == nil {
            throw SchemaDocument.invalid("'unique' is true or false", "\(path).unique")
        }
        self.init(columns: [], isUnique: object["unique"]?.bool ?? false)
        var types: [FieldType] = []
        for (position, value) in names.enumerated() {
            let place = "\(path).fields[\(position)]"
            guard let text = value.string else {
                throw SchemaDocument.invalid("The name of a field was expected", place)
            }
            guard var column = ColumnName(parsing: text) else {
                throw SchemaDocument.invalid(
                    "The words in brackets are c, d, cd, reversed and contains, as in title[cd,contains]", place)
            }
            if let field = fields.first(where: { $0.name.text == column.name }) {
                types.append(field.type)
            } else if let field = SystemField(column.name), IndexRules.systemColumns.contains(field) {
                types.append(QueryField.system(field).type)
                column.name = field.name.description
            } else {
                throw SchemaDocument.invalid("The type has no field of this name that can stand in an index", place)
            }
            if columns.contains(where: { $0.name == column.name && $0.form == column.form }) {
                throw SchemaDocument.invalid("The field stands twice in the index", place)
            }
            columns.append(column)
        }
        let isOfPlaces = types.contains { $0.element == .location }
        let rejection = IndexRules.rejection(
            ofColumns: types, forms: columns.map(\.form),
            kind: columns.compactMap(\.kind).first ?? (isOfPlaces ? .places : .ordered),
            isUnique: isUnique)
        if let rejection {
            throw SchemaDocument.invalid(rejection, "\(path).fields")
        }
    }

    /// Returns the shape of the index in a record type.
    ///
    /// - Throws: `BAD_REQUEST` for a column that the type lacks.
    package func shape(in type: RecordTypeDefinition) throws(RecordError) -> IndexRequest.Shape {
        var shape = IndexRequest.Shape(kind: .ordered, columns: [], isUnique: isUnique)
        for column in columns {
            let source: IndexDefinition.Source
            if let field = type[column.name] {
                if shape.kind == .ordered {
                    shape.kind = field.type.element == .location ? .places : field.type.isList ? .members : .ordered
                }
                source = .field(field.id)
            } else if let field = SystemField(column.name) {
                source = .system(field)
            } else {
                throw .badRequest(
                    "The field \(column.name) does not exist", details: [("recordType", .text(type.name.text))])
            }
            if let kind = column.kind { shape.kind = kind }
            shape.columns.append(
                IndexDefinition.Column(source, form: column.form, isAscending: column.isAscending))
        }
        return shape
    }

    /// The entry as JSON.
    package var json: JSONValue {
        let names = columns.map { JSONValue.string($0.text) }
        var members: [(String, JSONValue)] = [("fields", .array(names))]
        if isUnique { members.append(("unique", true)) }
        if let progress { members += progress.members }
        return .object(JSONObject(members))
    }
}

extension IndexOptions {
    /// Reads a field's options, such as `["QUERYABLE","SORTABLE"]`.
    ///
    /// - Parameters:
    ///   - type: The field's type.
    ///   - path: The path of the value, for error messages.
    /// - Throws: `BAD_REQUEST` with the path.
    init(_ value: JSONValue, on type: FieldType, path: String) throws(RecordError) {
        guard let words = value.array else {
            throw SchemaDocument.invalid(Self.expected, path)
        }
        self = []
        for word in words {
            guard let option = Self.named.first(where: { $0.word == word.string })?.option else {
                throw SchemaDocument.invalid(Self.expected, path)
            }
            insert(option)
        }
        if let rejection = IndexRules.rejection(of: self, on: type) { throw SchemaDocument.invalid(rejection, path) }
    }

    private static let expected = "The indexes of a field are a list of QUERYABLE, SORTABLE and SEARCHABLE"
}
