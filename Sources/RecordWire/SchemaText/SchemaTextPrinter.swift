internal import RecordModel

extension SchemaDocument {
    /// The document as a text of CloudKit's schema language (`.ckdb`).
    ///
    /// Everything that the language has no words for is in comments, which other readers of the language skip:
    ///
    /// ```
    /// -- fogbase: {"version":1}
    /// DEFINE SCHEMA
    ///
    ///     CREATE ROLE editors;
    ///
    ///     -- fogbase: {"indexes":[{"fields":["-title"],"unique":true}],"acl":{"_creator":["read","write"]}}
    ///     RECORD TYPE Post (
    ///         "___recordID" REFERENCE QUERYABLE,
    ///         -- fogbase: {"write":["editors"],"formerly":["heading"]}
    ///         title         STRING QUERYABLE SORTABLE,
    ///         GRANT READ TO "_world"
    ///     );
    /// ```
    ///
    /// A comment belongs to the type or field after it. The comment of the first line says that the text states
    /// everything. Equal schemas have equal texts, and parsing the text results in `complete`.
    package var text: String {
        let document = complete
        var text = "-- \(SchemaTextLexer.annotationMark) {\"version\":\(Self.textVersion)}\nDEFINE SCHEMA\n"
        if !document.roles.isEmpty { text += "\n" }
        for role in document.roles.map(\.text).sorted() {
            text += "    CREATE ROLE \(SchemaTextWords.written(role));\n"
        }
        for type in document.types { text += "\n" + type.text }
        return text
    }

    /// The version of the comments in texts. Readers reject later versions.
    static let textVersion: Int64 = 1
}

extension SchemaDocument.TypeEntry {
    /// The statement of a complete entry, with a final line break.
    fileprivate var text: String {
        var members = systemMembers
        for field in fields {
            members.append(
                Member(
                    annotation: field.annotation, name: SchemaTextWords.written(field.name.text),
                    definition: ([SchemaTextWords.word(of: field.type)] + (field.options ?? []).words)
                        .joined(separator: " ")))
        }
        let width = members.map(\.name.unicodeScalars.count).max() ?? 0
        var lines = members.map { member in
            let gap = String(repeating: " ", count: width - member.name.unicodeScalars.count + 1)
            return Self.comment(member.annotation, indent: "        ")
                + "        \(member.name)\(gap)\(member.definition)"
        }
        for (role, permissions) in (grants ?? Grants()).byRole.sorted(by: { $0.key.text < $1.key.text })
        where !permissions.isEmpty {
            let words = permissions.words.joined(separator: ", ")
            lines.append("        GRANT \(words) TO \(SchemaTextWords.written(role.text))")
        }
        return Self.comment(annotation, indent: "    ")
            + "    RECORD TYPE \(SchemaTextWords.written(name.text)) (\n"
            + lines.joined(separator: ",\n") + (lines.isEmpty ? "    );\n" : "\n    );\n")
    }

    private struct Member {
        var annotation = JSONObject()
        let name: String
        let definition: String
    }

    /// The system fields with options. Each record can be queried by its name, whatever the schema says; a text states
    /// it, because CloudKit needs it for queries without a filter.
    private var systemMembers: [Member] {
        let indexed = (indexes ?? []).compactMap(\.systemField)
        return SchemaTextWords.systemMembers.compactMap { member in
            guard member.field == .recordName || indexed.contains(member.field) else { return nil }
            // CloudKit has no SORTABLE for references.
            let options = member.type == .timestamp ? "QUERYABLE SORTABLE" : "QUERYABLE"
            return Member(
                name: SchemaTextWords.written(member.name),
                definition: "\(SchemaTextWords.word(of: member.type)) \(options)")
        }
    }

    /// What the language has no words for.
    private var annotation: JSONObject {
        var object = JSONObject()
        let others = (indexes ?? []).filter { $0.systemField == nil }
        if !others.isEmpty { object["indexes"] = .array(others.map(\.json)) }
        if case .replace(let template) = access { object["acl"] = template.json }
        if requiresAccess == true { object["aclRequired"] = true }
        if let former, !former.isEmpty { object["formerly"] = .array(former.map { .string($0.text) }) }
        return object
    }

    private static func comment(_ annotation: JSONObject, indent: String) -> String {
        guard !annotation.members.isEmpty else { return "" }
        let json = String(decoding: JSONValue.object(annotation).bytes, as: UTF8.self)
        return "\(indent)-- \(SchemaTextLexer.annotationMark) \(json)\n"
    }
}

extension SchemaDocument.FieldEntry {
    /// What the language has no words for.
    fileprivate var annotation: JSONObject {
        var object = JSONObject()
        if case .replace(let roles) = readers { object["read"] = RolesChange.json(roles) }
        if case .replace(let roles) = writers { object["write"] = RolesChange.json(roles) }
        if let former, !former.isEmpty { object["formerly"] = .array(former.map { .string($0.text) }) }
        return object
    }
}
