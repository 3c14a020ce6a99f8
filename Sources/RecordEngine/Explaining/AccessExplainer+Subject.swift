package import RecordModel
internal import RecordStorage
internal import Threads

/// The caller whose permissions are explained.
enum AccessSubject {
    case caller(Caller)
    /// A caller whose tokens are rejected. No permission needs to be checked.
    case rejected(AccessExplanation.Step)
}

extension AccessExplainer {
    /// Returns the user, key or guest with this name, as whom an administrator reads.
    ///
    /// - Throws: The errors of `subject`; BAD_REQUEST for an administrator, a disabled account or an ended key.
    package func caller(named text: String, for asker: Caller) throws(RecordError) -> Caller {
        let reason: String
        switch try subject(text, for: asker) {
        case .caller(.administrator): reason = "An administrator cannot be read as"
        case .caller(let caller): return caller
        case .rejected(let step): reason = step.reason
        }
        throw .badRequest(
            "\(reason). 'as' is anonymous, key: and a name, user: and a name, or the name or record name of a user",
            details: [("parameter", .text("as")), ("caller", .text(text))])
    }

    /// Returns the caller with a name. The forms of a name are: `anonymous`; `administrator`, optionally with
    /// `:` and a role; `key:` and a name; `user:` and a name; the name or record name of a user; the record name of a
    /// key's account. No new account may have a name of the other forms (`AccessQuestion.reserves`); an older one with
    /// such a name is found behind `user:`.
    ///
    /// - Throws: NOT_FOUND for an unknown caller; BAD_REQUEST for an unknown role, or for a name that the asking caller
    ///   may not look up.
    func subject(_ text: String, for asker: Caller) throws(RecordError) -> AccessSubject {
        if text == "anonymous" || text == RoleName.world.text { return .caller(.anonymous) }
        if text == "administrator" { return .caller(.administrator(.bootstrap)) }
        if let name = text.rest(behind: "administrator:") {
            guard let role = AdministratorRole(rawValue: name) else { throw noSuchRole(name, text, asker) }
            return .caller(.administrator(Administrator(id: 0, role: role)))
        }
        if let name = text.rest(behind: "key:") {
            guard Authorization.authorize(asker, .manageKeys) == .allowed else {
                throw .subjectByRecordName(text, right: .manageKeys)
            }
            let table = store.keys
            let row = try table.find(name: name)
            guard let row else {
                throw RecordError(.notFound, "There is no key with this name", details: [("caller", .text(text))])
            }
            return subject(of: row)
        }
        if let name = text.rest(behind: "user:") { return try user(named: name, text, asker) }
        if let name = UserRecordName(text) {
            let row = try store.accounts.find(recordName: name.text)
            guard let row else {
                throw RecordError(
                    .notFound, "There is no user with this record name", details: [("caller", .text(text))])
            }
            return try subject(of: row)
        }
        return try user(named: text, text, asker)
    }

    private func user(named name: String, _ text: String, _ asker: Caller) throws(RecordError) -> AccessSubject {
        guard Authorization.authorize(asker, .manageUsers) == .allowed else {
            throw .subjectByRecordName(text, right: .manageUsers)
        }
        let row = try store.accounts.find(name: name)
        guard let row else {
            throw RecordError(
                .notFound,
                "There is no user with the name \(name.prefix(64)).\(hint(about: name, asker)) "
                    + AccessQuestion.callerForms,
                details: [("caller", .text(text))])
        }
        return try subject(of: row)
    }

    private func subject(of account: AccountRow) throws(RecordError) -> AccessSubject {
        if account.disabled != nil {
            return .rejected(
                AccessExplanation.Step(
                    rule: "ACCOUNT_DISABLED", isAllowed: false,
                    reason: "The account is disabled: its sessions have ended, and it cannot sign in"))
        }
        if account.kind == .service {
            let table = store.keys
            let row = try table.find(account: account.id)
            return subject(of: row)
        }
        return .caller(
            .user(account.id, roles: try store.accounts.roles(of: account.id)))
    }

    private func subject(of key: APIKeyRow?) -> AccessSubject {
        guard let key, key.isAlive(at: WallClock.milliseconds) else {
            return .rejected(
                AccessExplanation.Step(
                    rule: "KEY_ENDED", isAllowed: false,
                    reason: "The key was revoked or has expired: its token is rejected before any permission is checked"
                ))
        }
        return .caller(.service(ServiceKey(account: key.account, scope: KeyScope(stored: key.scope))))
    }

    private func noSuchRole(_ name: String, _ text: String, _ asker: Caller) -> RecordError {
        let roles = AdministratorRole.allCases.map(\.rawValue).joined(separator: ", ")
        return .badRequest(
            "administrator: is followed by a role of administrators, one of \(roles).\(hint(about: name, asker))",
            details: [("caller", .text(text))])
    }

    /// Returns a hint if the name belongs to an administrator and the asking caller may manage administrators.
    private func hint(about name: String, _ asker: Caller) -> String {
        guard Authorization.authorize(asker, .manageAdministrators) == .allowed,
            let info = try? reader.database.administrators?.find(name)
        else { return "" }
        return " \(name) is an administrator: ask for administrator:\(info.role.rawValue)."
    }
}

extension AccessQuestion {
    /// The allowed forms of a caller's name, for error messages.
    static let callerForms =
        "A caller is anonymous, administrator, administrator: and a role, key: and a name, user: and a name, or the name or record name of a user"

    /// Returns whether a name of an account would be another caller. Those with a leading underscore are reserved anyway.
    ///
    /// - Parameter key: The name after NFKC case folding, as accounts are compared.
    static func reserves(_ key: String) -> Bool {
        ["anonymous", "administrator"].contains(key)
            || ["administrator:", "key:", "user:"].contains { key.hasPrefix($0) }
    }
}

extension RecordError {
    fileprivate static func subjectByRecordName(_ text: String, right: AdministratorOperation) -> RecordError {
        .badRequest(
            "Who is looked up by name takes the right \(right.rawValue). Name the record name of the user, or of the key's account",
            details: [("caller", .text(text)), ("right", .text(right.rawValue))])
    }
}

extension String {
    fileprivate func rest(behind prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
