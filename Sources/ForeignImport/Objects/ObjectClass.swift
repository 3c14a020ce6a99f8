internal import RecordModel

/// A class of objects of an export, and what is known of it after the first pass.
struct ObjectClass {
    /// Its name at the source.
    let name: String
    let paths: [String]
    /// The record type.
    let type: String
    /// Its number in the sets of identifiers.
    let number: Int
    /// Whether the identifiers get the name of the type before them, because another class has one of them too.
    var isPrefixed = false
    /// The hashes of identifiers that occur twice.
    var doubled: Set<Int> = []
    /// The names of the fields at the source, in the order in which they occur.
    private(set) var order: [String] = []
    private(set) var tallies: [String: FieldTally] = [:]
    /// How each field is written; a field without a plan has no values.
    var plans: [String: FieldPlan] = [:]
    var names = NameMapping(.field)
    /// The relations, by field.
    var joins: [String: JoinTable] = [:]
    /// The schema of the source, as far as there is one.
    var schema: ParseSchema?
    /// The position in the report; `nil` for a class that makes no records.
    var row: Int?

    init(name: String, paths: [String], type: String, number: Int) {
        self.name = name
        self.paths = paths
        self.type = type
        self.number = number
    }

    /// Adds a value of the first pass.
    mutating func add(_ value: ForeignValue, to field: String) {
        if tallies[field] == nil { order.append(field) }
        tallies[field, default: FieldTally()].add(value)
    }

    /// Adds the fields of the schema that no record has.
    mutating func addDeclaredFields() {
        for field in schema?.order ?? [] where tallies[field] == nil {
            order.append(field)
            tallies[field] = FieldTally()
        }
    }
}
