internal import RecordModel
internal import RecordWire

/// A collection of PocketBase, of any version since 0.8.
///
/// Until 0.22, `_collections` has the fields in `schema`, with their settings in `options`, and the tables of accounts
/// have columns that are no fields. Since 0.23, it has all columns in `fields`.
struct PocketBaseCollection {
    enum Kind: String {
        case base, auth, view
    }

    let id: String
    let name: String
    let kind: Kind
    /// The fields that become fields here.
    let fields: [PocketBaseField]
    /// The statements that create the indexes.
    let indexes: [String]
    /// The rules by operation; `nil` for administrators only.
    let rules: [PocketBaseRule.Operation: String]
    /// The column with the hashes of passwords; `nil` for none.
    let passwordColumn: String?
    /// The columns by which users may sign in, the best one first.
    let identityColumns: [String]
    /// Whether the table has the columns `created` and `updated` for the dates of records.
    let hasCreated: Bool
    let hasUpdated: Bool

    /// The columns of accounts until 0.22 that become fields.
    private static let oldAccountFields = [
        PocketBaseField(name: "username", kind: .text), PocketBaseField(name: "email", kind: .email),
        PocketBaseField(name: "emailVisibility", kind: .bool), PocketBaseField(name: "verified", kind: .bool),
    ]

    /// Reads a row of `_collections`.
    ///
    /// - Parameters:
    ///   - fields: The JSON of `fields`, or of `schema`.
    ///   - isOld: Whether it is that of `schema`.
    ///   - note: Called with a field of an unknown type.
    init(
        id: String, name: String, kind: Kind, fields: JSONValue, isOld: Bool, indexes: JSONValue, options: JSONValue,
        rules: [PocketBaseRule.Operation: String], note: (String, String) -> Void
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.rules = rules
        self.indexes = (indexes.array ?? []).compactMap(\.string)
        var read: [PocketBaseField] = isOld && kind == .auth ? Self.oldAccountFields : []
        var password = isOld && kind == .auth ? "passwordHash" : nil
        var (hasCreated, hasUpdated) = (isOld, isOld)
        for entry in fields.array ?? [] {
            guard let name = entry["name"]?.string, let type = entry["type"]?.string else { continue }
            if !isOld {
                if name == "id" || kind == .auth && name == "tokenKey" { continue }
                if type == "password" {
                    if kind == .auth { password = name }
                    continue
                }
                if type == "autodate", name == "created" || name == "updated" {
                    if name == "created" { hasCreated = true } else { hasUpdated = true }
                    continue
                }
            }
            guard let kind = PocketBaseField.Kind(rawValue: type) else {
                note(name, "the field has the type \(type.prefix(64)), which has no equivalent, and was left out")
                continue
            }
            read.append(PocketBaseField(name: name, kind: kind, isOld ? entry["options"] ?? [:] : entry))
        }
        self.fields = read
        self.hasCreated = hasCreated
        self.hasUpdated = hasUpdated
        passwordColumn = password
        var columns: [String] = []
        if kind == .auth {
            let allowed: [String]
            if isOld {
                allowed = [("email", "allowEmailAuth"), ("username", "allowUsernameAuth")]
                    .filter { options[$0.1]?.bool != false }.map(\.0)
            } else {
                allowed = (options["passwordAuth"]?["identityFields"]?.array ?? []).compactMap(\.string)
            }
            // E-mail addresses first: PocketBase generates user names where users choose none.
            columns = allowed.sorted { $0 == "email" && $1 != "email" }
            for other in ["email", "username"] where !columns.contains(other) { columns.append(other) }
            columns = columns.filter { column in read.contains { $0.name == column } }
        }
        identityColumns = columns
    }
}

/// A field of a collection.
struct PocketBaseField {
    enum Kind: String {
        case text, editor, number, bool, email, url, date, autodate, select, json, relation, file, geoPoint
    }

    let name: String
    let kind: Kind
    /// Whether a record can have several values.
    let isMultiple: Bool
    /// Whether numbers have no fraction.
    let isInteger: Bool
    /// Of a relation: the collection of the targets.
    let collectionID: String
    /// Of a relation: whether a record is deleted with its target.
    let deletesWithTarget: Bool
    /// Whether only administrators see the field.
    let isHidden: Bool

    init(name: String, kind: Kind, _ options: JSONValue = [:]) {
        self.name = name
        self.kind = kind
        // Without a limit, a relation has any number of targets until 0.22.
        let most = options["maxSelect"]?.integer ?? (kind == .relation && options["maxSelect"] != nil ? .max : 1)
        isMultiple = [.select, .relation, .file].contains(kind) && most > 1
        isInteger = options["onlyInt"]?.bool ?? options["noDecimal"]?.bool ?? false
        collectionID = options["collectionId"]?.string ?? ""
        deletesWithTarget = options["cascadeDelete"]?.bool ?? false
        isHidden = options["hidden"]?.bool ?? false
    }

    /// The type of the field here.
    var type: FieldType {
        let type: FieldType =
            switch kind {
            case .text, .editor, .email, .url, .select, .json: .string
            case .number: isInteger ? .int64 : .double
            case .bool: .int64
            case .date, .autodate: .timestamp
            case .relation: .reference
            case .file: .asset
            case .geoPoint: .location
            }
        return isMultiple ? type.list : type
    }

    /// What the report says about the field; `nil` for nothing.
    var note: String? {
        switch kind {
        case .bool: "true and false became 1 and 0"
        case .json: "JSON is kept as text"
        case .relation where isMultiple && deletesWithTarget:
            "records stay when the targets of this list are deleted. PocketBase deletes a record with its last target"
        default: nil
        }
    }
}
