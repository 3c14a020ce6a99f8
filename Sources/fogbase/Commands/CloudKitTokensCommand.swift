import HTTP
import RecordWire

/// The part of `fogbase keys …` about credentials of CloudKit Web Services: API tokens, and the files of public keys.
struct CloudKitTokensCommand {
    let command: OperatorCommand

    /// The options that only API tokens have.
    static let flags = ["--origins", "--callback", "--notes"]
    /// The options that only keys have.
    private static let keyFlags = ["--types", "--actions", "--read-only", "--rights", "--expires-in", "--public-key"]

    /// Creates an API token, and prints it.
    ///
    /// - Throws: `Failure` for an option of keys, or with the reason of the server.
    func add() throws(Failure) {
        let options = command.arguments.options
        if let flag = Self.keyFlags.first(where: { options[$0] != nil }) {
            throw .usage("\(flag) goes with a key; an API token has the permissions of anonymous callers.")
        }
        var request = JSONObject([("name", .string(command.arguments.operands[0]))])
        if let origins = command.list("--origins") { request["origins"] = .array(origins.map(JSONValue.string)) }
        if let callback = options["--callback"] { request["callback"] = .string(callback) }
        if let notes = options["--notes"] { request["notes"] = .string(notes) }
        let made = try command.way.ask(.post, "/cloudkit/tokens", body: .object(request))
        Terminal.complain(
            "Added \(made.text("name")) for pages of \(Self.origins(of: made)). The API token is shown only once:")
        Terminal.say(made.text("token"))
    }

    /// Returns all API tokens.
    ///
    /// - Throws: `Failure` with the reason of the server.
    func all() throws(Failure) -> [JSONValue] { try command.way.all("/cloudkit/tokens", "tokens") }

    /// Returns the key or API token with an id or a name; a key if both have it.
    ///
    /// - Throws: `Failure` if there is none.
    func keyOrToken(_ text: String) throws(Failure) -> (value: JSONValue, isToken: Bool) {
        let matches = { (value: JSONValue) in value.text("id") == text || value.text("name") == text }
        let keys = try command.way.all("/keys", "keys").filter(matches)
        if let key = keys.first(where: { $0.text("state") != "revoked" }) { return (key, false) }
        if let token = try all().first(where: matches) { return (token, true) }
        guard let key = keys.last else { throw Failure("There is no key with the name or id \(text).") }
        return (key, false)
    }

    /// Returns the origins whose pages may use an API token, as text.
    static func origins(of token: JSONValue) -> String {
        token["origins"]?.array == nil ? "any origin" : token.words("origins")
    }

    /// Returns the properties of an API token as rows.
    static func facts(of token: JSONValue) -> [[String]] {
        var rows = [
            ["name", token.text("name")], ["id", token.text("id")], ["kind", "API token"],
            ["token", token.text("prefix") + "…"], ["origins", origins(of: token)],
            ["callback", token["callback"]?.string ?? "a message to the page"],
            ["created", Moment.show(token["createdAt"]?.integer)],
        ]
        if let moment = token["usedAt"]?.integer { rows.append(["used", Moment.show(moment)]) }
        if let notes = token["notes"]?.string, !notes.isEmpty { rows.append(["notes", notes]) }
        return rows
    }

    /// Returns the text of a file with a public key.
    ///
    /// - Throws: `Failure` if the file is missing or unreadable.
    static func publicKey(_ path: String) throws(Failure) -> String {
        do {
            if let text = try TextFile.read(path) { return text }
        } catch {
            throw Failure("\(error)")
        }
        throw Failure("There is no file \(path).")
    }
}
