/// An index of a record type: a table sorted by the values of its columns.
///
/// Each record has one index entry per zone and type. In an index on a list, a record has one entry per distinct
/// member; in an index for CONTAINS, one per distinct part of the text; in an index for searches, one per distinct word.
package struct IndexDefinition: Hashable, Sendable {
    /// The field that a column contains.
    package enum Source: Hashable, Sendable {
        /// A field of the type, by its number.
        case field(Int)
        /// `createdTimestamp`, `modifiedTimestamp`, `createdUserRecordName` or `modifiedUserRecordName`.
        case system(SystemField)
    }

    /// A column and its direction.
    package struct Column: Hashable, Sendable {
        /// The field of the column.
        package var source: Source
        /// The form of the field's texts in the index.
        package var form: TextForm
        /// Whether the values ascend.
        package var isAscending: Bool
        /// Whether the key contains INT64 values as the equal DOUBLE, because the field is a DOUBLE or becomes one. The
        /// equality of columns ignores this property, since such columns serve the same queries.
        package var readsAsDouble = false

        package static func == (left: Column, right: Column) -> Bool {
            left.source == right.source && left.form == right.form && left.isAscending == right.isAscending
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(source)
            hasher.combine(form)
            hasher.combine(isAscending)
        }

        /// Creates a column with a direction, ascending by default.
        package init(_ source: Source, form: TextForm = .exact, isAscending: Bool = true) {
            self.source = source
            self.form = form
            self.isAscending = isAscending
        }
    }

    /// The state of an index.
    package enum State: Hashable, Sendable {
        /// The index is being filled, in slices. Writes maintain the index, but queries do not use it yet.
        ///
        /// - Parameter position: The number of the last record that the index contains.
        case building(position: RecordNumber)
        case ready
        /// The index could not be filled because two records have the same value in a UNIQUE index. The text names the
        /// two records.
        case failed(String)
    }

    /// The kind of an index.
    package enum Kind: UInt8, Hashable, Sendable {
        /// One entry per record, sorted by the columns.
        case ordered = 1
        /// One entry per distinct member of a list. The index has one column.
        case members = 2
        /// A check without entries. Before an INT64 field becomes DOUBLE, it checks that each value equals a DOUBLE.
        /// The field is the only column.
        case widening = 3
        /// One entry per distinct part of a text (`TextParts`), for CONTAINS. The index has one column.
        case parts = 4
        /// One entry per distinct place of a LOCATION or LOCATION_LIST, by its `PlaceKey`; one entry for a record
        /// without a place. The index has one column.
        case places = 5

        /// One entry per distinct word of a text, with a payload for the rank (`TextTerms`), for searches. The index has
        /// one column.
        case words = 6

        /// Whether a record has any number of entries.
        package var hasManyEntries: Bool { self == .members || self == .parts || self == .places || self == .words }

        /// Whether the name of the column tells the kind: `title[words]`.
        package var isNamed: Bool { self == .parts || self == .words }

        /// Whether entries have a payload.
        package var hasPayloads: Bool { self == .words }
    }

    /// The number of the index and of its table. Numbers are not reused.
    package let id: IndexID
    /// The kind of the index.
    package var kind: Kind
    /// The columns, in the order of comparison.
    package var columns: [Column]
    /// Whether two records of a zone must differ in at least one column.
    package var isUnique: Bool
    /// Whether the schema's `indexes` contain the index. Otherwise the options of its only field require the index.
    package var isDeclared: Bool
    /// The state of the index.
    package var state: State

    /// Creates the definition of an index that has a number.
    package init(
        id: IndexID, kind: Kind, columns: [Column], isUnique: Bool = false, isDeclared: Bool = true, state: State
    ) {
        self.id = id
        self.kind = kind
        self.columns = columns
        self.isUnique = isUnique
        self.isDeclared = isDeclared
        self.state = state
    }

    /// Whether queries can use the index.
    package var isReady: Bool { state == .ready }

    /// Whether the index is being filled.
    package var isBuilding: Bool {
        if case .building = state { true } else { false }
    }

    /// Whether the index could not be filled.
    package var isFailed: Bool {
        if case .failed = state { true } else { false }
    }

    /// The field that a widening check covers; `nil` for an index.
    package var checkedField: Int? {
        guard kind == .widening, case .field(let id)? = columns.first?.source else { return nil }
        return id
    }

    /// The most columns of one index.
    package static let maxColumns = 8
    /// The most indexes of one type.
    package static let maxPerType = 64
}

extension RecordTypeDefinition {
    /// Returns the field of an index column; `nil` if the type lacks the field.
    package func field(of source: IndexDefinition.Source) -> QueryField? {
        switch source {
        case .field(let id): self[id: id].map(QueryField.field)
        case .system(let field): .system(field)
        }
    }

    /// Returns whether the type has the field of an index column.
    package func has(_ source: IndexDefinition.Source) -> Bool {
        field(of: source) != nil
    }

    /// Returns the names of an index's columns, without their direction.
    package func columnNames(of index: IndexDefinition) -> [String] {
        index.columns.map { field(of: $0.source)?.name ?? "" }
    }

    /// Returns the field of an index column, in the form that the index contains; `nil` if the type lacks the field.
    package func indexedField(of column: IndexDefinition.Column) -> IndexedField? {
        field(of: column.source).map { IndexedField($0, column.form) }
    }

    /// Returns the columns of an index as the schema writes them, such as `threadname` and `-timestamp`.
    package func names(of shape: IndexRequest.Shape) -> [String] {
        shape.columns.map { column in
            ColumnName(
                field(of: column.source)?.name ?? "", isAscending: column.isAscending, form: column.form,
                kind: shape.kind
            ).text
        }
    }

    /// Returns the shapes of the indexes that a field's options require: on this field alone, ascending.
    package static func shapes(forOptionsOf field: FieldDefinition) -> [IndexRequest.Shape] {
        var kinds: [IndexDefinition.Kind] = []
        if !field.options.isDisjoint(with: [.queryable, .sortable]) {
            kinds.append(field.type.element == .location ? .places : field.type.isList ? .members : .ordered)
        }
        if field.options.contains(.searchable) { kinds.append(.words) }
        return kinds.map { IndexRequest.Shape(kind: $0, columns: [IndexDefinition.Column(.field(field.id))]) }
    }

    /// Returns the indexes that serve a field's options, one for each shape that has any. They may be declared, and may
    /// be UNIQUE.
    package func indexes(servingOptionsOf field: FieldDefinition) -> [IndexDefinition] {
        Self.shapes(forOptionsOf: field).compactMap { shape in
            let able = indexes.filter { $0.kind == shape.kind && $0.columns == shape.columns }
            return able.first { $0.isReady } ?? able.last
        }
    }

    /// Returns the index for searches of a field that meets a condition; `nil` if there is none.
    package func wordIndex(
        of field: FieldDefinition, where isUsable: (IndexDefinition) -> Bool
    ) -> IndexDefinition? {
        let columns = [IndexDefinition.Column(.field(field.id))]
        return indexes.first { $0.kind == .words && $0.columns == columns && isUsable($0) }
    }

    /// The fields that `SELF CONTAINS` searches.
    package var searchableFields: [FieldDefinition] { fields.filter { $0.options.contains(.searchable) } }
}

/// The options of a field, as CloudKit names them. One index on the field serves QUERYABLE and SORTABLE, another one
/// SEARCHABLE.
package struct IndexOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Permission for predicates to use the field.
    package static let queryable = IndexOptions(rawValue: 1)
    /// Permission for queries to sort by the field and to compare it with ranges.
    package static let sortable = IndexOptions(rawValue: 2)
    /// Permission for searches to look for words in the field.
    package static let searchable = IndexOptions(rawValue: 4)

    /// The options with their words.
    package static let named: [(option: IndexOptions, word: String)] = [
        (.queryable, "QUERYABLE"), (.sortable, "SORTABLE"), (.searchable, "SEARCHABLE"),
    ]

    /// The words of the options, in the order in which the schema prints them.
    package var words: [String] {
        Self.named.filter { contains($0.option) }.map(\.word)
    }
}

/// The indexes to add, requested by a document or by a query that needs them just in time.
package struct IndexRequest: Hashable, Sendable {
    /// The options to add to fields, by field number.
    package var options: [Int: IndexOptions]
    /// The indexes to declare.
    package var indexes: [Shape]
    /// Whether those of `indexes` that have failed are built again.
    package var retriesFailed = false

    /// An index definition without its number and state.
    package struct Shape: Hashable, Sendable {
        /// The kind of the index.
        package var kind: IndexDefinition.Kind
        /// The columns, in the order of comparison.
        package var columns: [IndexDefinition.Column]
        /// Whether the index is UNIQUE.
        package var isUnique: Bool

        /// Creates the shape of a wanted index.
        package init(kind: IndexDefinition.Kind, columns: [IndexDefinition.Column], isUnique: Bool = false) {
            self.kind = kind
            self.columns = columns
            self.isUnique = isUnique
        }
    }

    /// Creates a request to add options and declared indexes.
    package init(options: [Int: IndexOptions] = [:], indexes: [Shape] = []) {
        self.options = options
        self.indexes = indexes
    }

    /// Whether the request adds nothing.
    package var isEmpty: Bool { options.isEmpty && indexes.isEmpty }
}
