internal import Cryptography
internal import RecordModel
internal import RecordWire
internal import UnicodeText

/// What the conversions of all sources share: the file that is written, the report, and which accounts there are.
final class Conversion {
    let writer: ContainerWriter
    let options: ConversionOptions
    var report = ConversionReport()
    /// The sign-in names in the form in which they are compared, as hashes.
    private var accountNames: Set<Int> = []
    /// The record names of the accounts, as hashes.
    private var accounts: Set<Int> = []
    /// The types of the schema.
    private var types: [(String, JSONValue)] = []

    init(_ writer: ContainerWriter, _ options: ConversionOptions) {
        self.writer = writer
        self.options = options
    }

    // MARK: Schema

    /// Adds a type to the schema.
    func add(type: String, fields: [(String, JSONValue)], indexes: [JSONValue] = [], grants: JSONObject? = nil) {
        var entry: [(String, JSONValue)] = [("fields", .object(JSONObject(fields)))]
        if !indexes.isEmpty { entry.append(("indexes", .array(indexes))) }
        if let grants { entry.append(("grants", .object(grants))) }
        types.append((type, .object(JSONObject(entry))))
    }

    /// Writes the schema.
    ///
    /// - Throws: `ConversionError` if the server would reject it, for example because of too many types.
    func writeSchema(from path: String) throws(ConversionError) {
        let document: JSONValue = ["types": .object(JSONObject(types))]
        do throws(RecordError) {
            _ = try SchemaDocument(document)
        } catch {
            throw ConversionError(path, "The schema cannot be kept here: \(error.reason)")
        }
        try writer.schema(document)
    }

    // MARK: Accounts

    /// An account to be created.
    struct Account {
        /// Where the user is at the source, for the report.
        var place: String
        /// The identifier at the source.
        var id: String
        var recordName: String
        /// The names by which the user may sign in, the best one first.
        var names: [String]
        /// A hash of the password; `nil` for none.
        var password: String?
        var created: Int64?
    }

    /// Writes an account.
    ///
    /// - Returns: Whether there is an account. Without one, the report says why.
    func write(_ account: Account) throws(ConversionError) -> Bool {
        guard accounts.insert(account.recordName.hashValue).inserted else {
            report.reject(account.place, "another user has the same identifier")
            return false
        }
        if options.users[account.id] != nil { return true }
        let valid = account.names.filter(Self.isAccountName)
        guard let name = valid.first(where: { !accountNames.contains($0.nfkcCasefold.hashValue) }) else {
            accounts.remove(account.recordName.hashValue)
            report.reject(
                account.place,
                valid.isEmpty
                    ? "the user has no name that an account can have"
                    : "another account has the name \(valid[0]). Names are compared without regard to case")
            return false
        }
        accountNames.insert(name.nfkcCasefold.hashValue)
        if name != account.names.first {
            report.note(
                "accounts", "users have another sign-in name, as the first one is taken or impossible here",
                example: "\(account.place), who is \(name)")
        }
        var line = JSONObject([("userRecordName", .string(account.recordName)), ("name", .string(name))])
        if let password = account.password, PasswordHash.isSupported(password) {
            line["password"] = .string(password)
        } else {
            if account.password != nil {
                report.note("accounts", "password hashes that this server cannot check were left out")
            }
            report.noteMissingPassword(of: name)
        }
        if let created = account.created { line["created"] = .integer(created) }
        try writer.account(line)
        report.accounts += 1
        return true
    }

    /// Whether there is an account with a record name.
    func hasAccount(_ recordName: String) -> Bool { accounts.contains(recordName.hashValue) }

    /// Returns the record name of the account that a user of the source is here.
    func account(_ scope: String, _ id: String) -> String {
        options.users[id] ?? NameMapping.userRecordName(scope, id)
    }

    /// Whether a new account may have a name. The import checks it again.
    private static func isAccountName(_ name: String) -> Bool {
        guard RecordName(name) != nil, name.utf8.count <= 128, let first = name.first, let last = name.last,
            !first.isWhitespace, !last.isWhitespace
        else { return false }
        let key = name.nfkcCasefold
        return !key.isEmpty && key.utf8.first != UInt8(ascii: "_")
    }

    // MARK: Records

    /// Returns why a record cannot have a name; `nil` if it can.
    static func rejection(ofRecordName name: String) -> String? {
        if RecordName(name) == nil {
            return "the identifier is no record name: that has 1 to 255 bytes without control characters"
        }
        return UserRecordName(name) == nil ? nil : "the identifier has the form of an account's record name"
    }

    /// Returns a user and a time, as in a record.
    static func stamp(_ time: Int64?, user: String? = nil) -> JSONValue? {
        var stamp = JSONObject()
        if let time { stamp["timestamp"] = .integer(time) }
        if let user { stamp["userRecordName"] = .string(user) }
        return stamp.count > 0 ? .object(stamp) : nil
    }

    /// Returns the value of a file in a record; `nil` if it cannot be read, which the report says.
    func asset(at path: String, name: String, field: String, place: String) throws(ConversionError) -> JSONValue? {
        guard Directory.hasFile(path) else {
            report.note(
                field, "files that the data set does not have were left out", example: "\(name.prefix(255)) of \(place)"
            )
            return nil
        }
        let written = try writer.file(path)
        if written.isNew {
            report.files += 1
            report.fileBytes += written.asset["size"]?.integer ?? 0
        }
        var asset = written.asset
        if let type = MediaTypes.type(of: name) { asset["contentType"] = .string(type) }
        asset["filename"] = .string(name)
        return .object(asset)
    }
}

/// What a person chooses for a conversion.
package struct ConversionOptions: Sendable {
    /// The names of the types or classes whose records are converted; `nil` for all. Accounts and roles always are.
    package var types: Set<String>?
    /// The directory with the files of an export; `nil` for the directory `files` beside the export.
    package var files: String?
    /// The record names of accounts that are here already, by the identifiers of users of the source.
    package var users: [String: String] = [:]

    /// Creates options that convert everything.
    package init() {}

    func includes(_ source: String, _ type: String) -> Bool {
        types.map { $0.contains(source) || $0.contains(type) } ?? true
    }
}
