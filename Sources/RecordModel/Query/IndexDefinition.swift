/// An index of a record type: columns in order, kept in a table of its own.
///
/// A record has one entry per zone and type, or, in an index on a list, one per distinct member.
package struct IndexDefinition: Hashable, Sendable {
    /// What a column holds.
    package enum Source: Hashable, Sendable {
        /// A field of the type, by its number.
        case field(Int)
        /// `createdTimestamp`, `modifiedTimestamp`, `createdUserRecordName` or `modifiedUserRecordName`.
        case system(SystemField)
    }

    /// A column and its direction.
    package struct Column: Hashable, Sendable {
        package var source: Source
        package var isAscending: Bool
        /// Whether an INT64 stands in the key as the DOUBLE that it equals: the field is a DOUBLE, or becomes one. Columns
        /// that differ in this alone are equal, since the same queries ask for them.
        package var readsAsDouble = false

        package static func == (left: Column, right: Column) -> Bool {
            left.source == right.source && left.isAscending == right.isAscending
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(source)
            hasher.combine(isAscending)
        }

        package init(_ source: Source, isAscending: Bool = true) {
            self.source = source
            self.isAscending = isAscending
        }
    }

    /// How far it is.
    package enum State: Hashable, Sendable {
        /// It is being filled in slices; writes keep it up to date all along, queries do not use it yet.
        ///
        /// - Parameter position: The internal id up to which records are in it.
        case building(position: RecordNumber)
        case ready
        /// It could not be filled: two records have one value in a UNIQUE index. The sentence names them.
        case failed(String)
    }

    /// What its maintainer does. Later kinds (full text, places, trigrams) are cases of their own.
    package enum Kind: UInt8, Hashable, Sendable {
        /// One entry per record, ordered by its columns.
        case ordered = 1
        /// One entry per distinct member of a list; a single column.
        case members = 2
        /// No entries: the check that every value of an INT64 field, its single column, equals a DOUBLE, which the field then
        /// becomes.
        case widening = 3
    }

    /// The number of its table, never given twice.
    package let id: IndexID
    /// What an entry is.
    package var kind: Kind
    /// In the order in which keys are compared.
    package var columns: [Column]
    /// Whether no two records of a zone may have the same values in all columns.
    package var isUnique: Bool
    /// Whether the schema's `indexes` name it; else the options of its one field have made it.
    package var isDeclared: Bool
    /// Whether queries may use it yet.
    package var state: State

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

    /// Whether queries use it.
    package var isReady: Bool { state == .ready }

    /// Whether it is being filled.
    package var isBuilding: Bool {
        if case .building = state { true } else { false }
    }

    /// Whether it could not be filled.
    package var isFailed: Bool {
        if case .failed = state { true } else { false }
    }

    /// The field that a check is about.
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
    /// The field that a column of an index holds; `nil` if the type does not have it.
    package func field(of source: IndexDefinition.Source) -> QueryField? {
        switch source {
        case .field(let id): self[id: id].map(QueryField.field)
        case .system(let field): .system(field)
        }
    }

    /// Whether a column can be of the type.
    package func has(_ source: IndexDefinition.Source) -> Bool {
        field(of: source) != nil
    }

    /// The names of an index's columns, without their direction.
    package func columnNames(of index: IndexDefinition) -> [String] {
        index.columns.map { field(of: $0.source)?.name ?? "" }
    }

    /// The columns as the schema writes them: `threadname`, `-timestamp`.
    package func names(of columns: [IndexDefinition.Column]) -> [String] {
        columns.map { ($0.isAscending ? "" : "-") + (field(of: $0.source)?.name ?? "") }
    }

    /// The shape of the index that the options of a field ask for: on the field alone, ascending.
    package static func shape(forOptionsOf field: FieldDefinition) -> IndexWish.Shape {
        IndexWish.Shape(
            kind: field.type.isList ? .members : .ordered, columns: [IndexDefinition.Column(.field(field.id))])
    }

    /// The index that the options of a field rely on, be it made for them or declared; UNIQUE ones serve as well.
    package func index(servingOptionsOf field: FieldDefinition) -> IndexDefinition? {
        let shape = Self.shape(forOptionsOf: field)
        let able = indexes.filter { $0.kind == shape.kind && $0.columns == shape.columns }
        return able.first { $0.isReady } ?? able.last
    }
}

/// The options of a field, as CloudKit names them. Both are served by one index on the field.
package struct IndexOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The field may stand in conditions.
    package static let queryable = IndexOptions(rawValue: 1)
    /// The field may be sorted by, and stand in ranges.
    package static let sortable = IndexOptions(rawValue: 2)

    /// The words in the order in which the schema prints them.
    package var words: [String] {
        [(IndexOptions.queryable, "QUERYABLE"), (.sortable, "SORTABLE")].filter { contains($0.0) }.map(\.1)
    }
}

/// What an index is made for: by a document, or just in time for a query.
package struct IndexWish: Hashable, Sendable {
    /// Options to add to fields, by field number.
    package var options: [Int: IndexOptions]
    /// Indexes to declare.
    package var indexes: [Shape]

    /// An index without number and state.
    package struct Shape: Hashable, Sendable {
        package var kind: IndexDefinition.Kind
        package var columns: [IndexDefinition.Column]
        package var isUnique: Bool

        package init(kind: IndexDefinition.Kind, columns: [IndexDefinition.Column], isUnique: Bool = false) {
            self.kind = kind
            self.columns = columns
            self.isUnique = isUnique
        }
    }

    package init(options: [Int: IndexOptions] = [:], indexes: [Shape] = []) {
        self.options = options
        self.indexes = indexes
    }

    /// Whether nothing is missing.
    package var isEmpty: Bool { options.isEmpty && indexes.isEmpty }
}
