import HTTP
import RecordEngine
import RecordWire

/// `fogbase keys …`: manages the API keys of a database, and the credentials of CloudKit Web Services.
extension OperatorCommand {
    static let keyOptions = [
        CommandOption(flag: "--types", placeholder: "TYPES", help: "record types, separated by commas; by default all"),
        CommandOption(
            flag: "--actions", placeholder: "ACTIONS", help: "allowed actions on records: read, create, write"),
        CommandOption(flag: "--read-only", placeholder: nil, help: "short for --actions read"),
        CommandOption(
            flag: "--rights", placeholder: "RIGHTS",
            help:
                "other rights: readSchema, changeSchema, readRights, changeRights, manageUsers, manageKeys, manageWebhooks, manageSchedules, readMetrics, readRequests, readSettings"
        ),
        CommandOption(flag: "--expires-in", placeholder: "TIME", help: "lifetime, such as 90d; by default unlimited"),
        CommandOption(
            flag: "--public-key", placeholder: "FILE",
            help: "register this PEM public key as a server-to-server key of CloudKit Web Services; prints the key ID"),
        CommandOption(
            flag: "--api-token", placeholder: nil,
            help: "create an API token of CloudKit Web Services, for web pages and apps"),
        CommandOption(
            flag: "--origins", placeholder: "ORIGINS",
            help: "origins whose pages may use the API token, separated by commas; by default any"),
        CommandOption(
            flag: "--callback", placeholder: "URL",
            help:
                "URL that gets the web auth token after a sign-in: http, https or cloudkit-CONTAINER://; by default a message to the page"
        ),
        CommandOption(flag: "--notes", placeholder: "TEXT", help: "remarks about the API token"),
    ]

    static let overlapOption = CommandOption(
        flag: "--overlap", placeholder: "TIME", help: "how long the previous token stays valid (1d)")

    func keys() throws(Failure) {
        switch name {
        case "keys list": try listKeys()
        case "keys add":
            try arguments.options["--api-token"] == nil ? addKey() : CloudKitTokensCommand(command: self).add()
        case "keys show":
            let found = try CloudKitTokensCommand(command: self).keyOrToken(arguments.operands[0])
            if wantsJSON { return Self.print(found.value) }
            Self.print(found.isToken ? CloudKitTokensCommand.facts(of: found.value) : Self.facts(of: found.value))
        case "keys rotate":
            let seconds = try seconds(Self.overlapOption.flag)
            let key = try key(arguments.operands[0])
            let made = try way.ask(
                .post, "/keys/\(key.text("id"))/rotate",
                body: .object(JSONObject(seconds.map { [("overlap", .integer($0))] } ?? [])))
            let end = made["overlapsUntil"]?.integer.map { "valid until \(Moment.show($0)) UTC" } ?? "invalid"
            show(
                made, "\(made.text("name")) has a new token; the previous one is \(end). The token is shown only once:")
        default:
            let found = try CloudKitTokensCommand(command: self).keyOrToken(arguments.operands[0])
            let (id, name) = (found.value.text("id"), found.value.text("name"))
            try way.ask(.delete, found.isToken ? "/cloudkit/tokens/" + id : "/keys/" + id)
            let isSigning = found.value["keyID"] != nil
            Terminal.say(
                found.isToken
                    ? "Deleted \(name). Requests with the API token are now rejected."
                    : "Revoked \(name). \(isSigning ? "Its signatures" : "Its tokens") are now invalid.")
        }
    }

    private func listKeys() throws(Failure) {
        let keys = try way.all("/keys", "keys")
        let tokens = try CloudKitTokensCommand(command: self).all()
        if wantsJSON { return Self.print(["keys": .array(keys), "tokens": .array(tokens)]) }
        var rows = [["NAME", "ID", "KIND", "STATE", "USED", "EXPIRES", "SCOPE"]]
        for key in keys {
            rows.append([
                key.text("name"), key.text("id"), key["keyID"] == nil ? "key" : "server-to-server", key.text("state"),
                Moment.show(key["usedAt"]?.integer), Moment.show(key["expiresAt"]?.integer), Self.scope(of: key),
            ])
        }
        for token in tokens {
            rows.append([
                token.text("name"), token.text("id"), "API token", "active", Moment.show(token["usedAt"]?.integer),
                Moment.show(nil), CloudKitTokensCommand.origins(of: token),
            ])
        }
        Self.print(rows)
    }

    private func addKey() throws(Failure) {
        if let flag = CloudKitTokensCommand.flags.first(where: { arguments.options[$0] != nil }) {
            throw .usage("\(flag) goes with --api-token.")
        }
        var scope = JSONObject()
        if let types = list("--types") { scope["types"] = .array(types.map(JSONValue.string)) }
        if let actions = list("--actions") { scope["actions"] = .array(actions.map(JSONValue.string)) }
        if arguments.options["--read-only"] != nil { scope["readOnly"] = true }
        if let rights = list("--rights") { scope["rights"] = .array(rights.map(JSONValue.string)) }
        guard scope["actions"] != nil || scope["readOnly"] != nil || scope["rights"] != nil else {
            throw .usage("'fogbase keys add' needs what the key may do: --read-only, --actions or --rights.")
        }
        var request = JSONObject([("name", .string(arguments.operands[0])), ("scope", .object(scope))])
        if let seconds = try seconds("--expires-in") { request["expiresIn"] = .integer(seconds) }
        if let path = arguments.options["--public-key"] {
            request["publicKey"] = .string(try CloudKitTokensCommand.publicKey(path))
            let made = try way.ask(.post, "/keys", body: .object(request))
            Terminal.complain("Added \(made.text("name")): \(Self.scope(of: made)). Its key ID is:")
            return Terminal.say(made.text("keyID"))
        }
        let made = try way.ask(.post, "/keys", body: .object(request))
        show(made, "Added \(made.text("name")): \(Self.scope(of: made)). The token is shown only once:")
    }

    /// Prints only the token to standard output, so that a shell can capture the token.
    private func show(_ key: JSONValue, _ sentence: String) {
        Terminal.complain(sentence)
        Terminal.say(key.text("token"))
    }

    /// Returns the key with an id or a name. If several keys have the name, prefers a key that is not revoked.
    ///
    /// - Throws: `Failure` if no key has this id or name.
    func key(_ text: String) throws(Failure) -> JSONValue {
        let keys = try way.all("/keys", "keys").filter { $0.text("id") == text || $0.text("name") == text }
        guard let key = keys.first(where: { $0.text("state") != "revoked" }) ?? keys.last else {
            throw Failure("There is no key with the name or id \(text).")
        }
        return key
    }

    private static func facts(of key: JSONValue) -> [[String]] {
        var rows = [
            ["name", key.text("name")], ["id", key.text("id")], ["state", key.text("state")],
            key["keyID"] == nil ? ["token", key.text("prefix") + "…"] : ["key ID", key.text("keyID")],
            ["scope", scope(of: key)],
            ["account", key.text("userRecordName")], ["created", Moment.show(key["createdAt"]?.integer)],
        ]
        for (title, name) in [
            ("used", "usedAt"), ("expires", "expiresAt"), ("overlap", "overlapsUntil"), ("revoked", "revokedAt"),
        ] {
            if let moment = key[name]?.integer { rows.append([title, Moment.show(moment)]) }
        }
        return rows
    }

    /// Returns a scope as text, such as `read, create of Post, Comment; manageUsers`.
    private static func scope(of key: JSONValue) -> String {
        guard let scope = key["scope"] else { return "" }
        var parts: [String] = []
        let actions = scope.words("actions")
        if !actions.isEmpty {
            parts.append("\(actions) of \(scope["types"] == nil ? "all types" : scope.words("types"))")
        }
        let rights = scope.words("rights")
        if !rights.isEmpty { parts.append(rights) }
        return parts.joined(separator: "; ")
    }
}
