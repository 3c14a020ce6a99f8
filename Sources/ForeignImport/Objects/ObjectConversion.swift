internal import RecordModel
internal import RecordWire

/// Converts an export of Parse Server or NCMB.
///
/// The first pass over the files finds the types of all fields, as the schema comes first in the result. The others
/// write accounts, user records and records.
final class ObjectConversion {
    let conversion: Conversion
    let dialect: any ObjectDialect
    let files: ExportFiles
    var classes: [ObjectClass] = []
    /// The positions of the classes, by name.
    var positions: [String: Int] = [:]
    private var types = NameMapping(.type)
    private var ids = IdentifierSets()
    private(set) var roles: [ForeignRole] = []
    /// The names of roles here.
    private(set) var roleNames = NameMapping(.role)

    /// A role of the source.
    struct ForeignRole {
        var id: String
        var name: String
        var users: [String]
        var roles: [String]
    }

    init(_ conversion: Conversion, _ dialect: any ObjectDialect, _ files: ExportFiles) {
        self.conversion = conversion
        self.dialect = dialect
        self.files = files
    }

    /// Runs the conversion.
    func run() throws(ConversionError) {
        try addClasses()
        for index in classes.indices { try tally(index) }
        finishTallies()
        try readRoles()
        try writeSchema()
        if let users = positions[dialect.userClass] { try writeAccounts(classes[users]) }
        try writeRoles()
        // User records first: others refer to them.
        let order = classes.indices.sorted {
            classes[$0].name == dialect.userClass && classes[$1].name != dialect.userClass
        }
        for index in order { try writeRecords(classes[index]) }
        try conversion.writer.end()
    }

    // MARK: The first pass

    private func addClasses() throws(ConversionError) {
        for name in files.ignored { conversion.report.note(name, "the file is no file of a class, and was not read") }
        for entry in files.classes where entry.name != dialect.roleClass {
            if let reason = dialect.reasonToSkip(entry.name) {
                conversion.report.note(entry.name, "the class was left out: \(reason)")
                continue
            }
            if entry.name == dialect.userClass { types.reserve(RecordTypeName.users.text, for: entry.name) }
            let type = types.name(for: entry.name)
            guard entry.name == dialect.userClass || conversion.options.includes(entry.name, type) else { continue }
            if type != entry.name, entry.name != dialect.userClass {
                conversion.report.note(entry.name, "the class is called \(type) here")
            }
            positions[entry.name] = classes.count
            var item = ObjectClass(name: entry.name, paths: entry.paths, type: type, number: ids.addClass())
            item.row = conversion.report.rows.count
            conversion.report.rows.append(ConversionReport.Row(source: entry.name, type: type))
            classes.append(item)
        }
        for path in files.schemas {
            var documents = try JSONDocuments(path)
            while let document = try documents.next() {
                guard let bytes = document.bytes, let object = try? JSONValue.parse(bytes).object,
                    let schema = ParseSchema(object)
                else {
                    conversion.report.reject(place(path, document.line), "the object is no schema of a class")
                    continue
                }
                if let index = positions[schema.className] { classes[index].schema = schema }
            }
        }
        for join in files.joins where join.className != dialect.roleClass {
            guard let index = positions[join.className] else {
                conversion.report.note("\(join.className).\(join.field)", "the relation has no class, and was left out")
                continue
            }
            classes[index].joins[join.field] = try JoinTable(join.path) { line, reason in
                conversion.report.reject(place(join.path, line), reason)
            }
        }
    }

    private func tally(_ index: Int) throws(ConversionError) {
        for field in classes[index].joins.keys.sorted() {
            classes[index].add(ForeignValue(content: .relation(className: ""), source: .null), to: field)
        }
        try forEachObject(of: classes[index], reports: false) { object, place throws(ConversionError) in
            ids.add(key(object.id, of: classes[index]), of: classes[index].number)
            for field in object.fields {
                classes[index].add(field.value, to: field.name)
                guard classes[index].order.count <= Limits.fieldsPerType else {
                    throw ConversionError(
                        classes[index].paths[0],
                        "The class has more than \(Limits.fieldsPerType) fields, as in \(place)")
                }
                if case .text = field.value.content, field.value.source.object != nil {
                    conversion.report.note(
                        "\(classes[index].type).\(field.name)",
                        "files were kept as their URLs. --files names a directory with their content")
                }
            }
        }
        classes[index].addDeclaredFields()
    }

    private func finishTallies() {
        let (overlapping, doubled) = ids.finish()
        for index in classes.indices {
            let item = classes[index]
            classes[index].doubled = doubled[item.number] ?? []
            if overlapping.contains(item.number) {
                classes[index].isPrefixed = true
                conversion.report.note(
                    item.type, "other classes have the same objectIds, so record names begin with '\(item.type).'")
            }
            for field in item.order {
                plan(field, of: index)
            }
            if let row = item.row { conversion.report.rows[row].fields = classes[index].plans.count }
        }
    }

    private func plan(_ field: String, of index: Int) {
        let subject = "\(classes[index].type).\(field)"
        guard let tally = classes[index].tallies[field],
            var plan = tally.plan(declared: declaredType(of: field, in: classes[index]))
        else { return }
        let name = classes[index].names.name(for: field)
        if name != field { conversion.report.note(subject, "the field is called \(name) here") }
        if let note = plan.note { conversion.report.note(subject, note, count: 0) }
        if tally.relation != nil, classes[index].joins[field] == nil {
            conversion.report.note(subject, "the members of the relation are not in the export", count: 0)
            plan.type = .referenceList
        }
        classes[index].plans[field] = plan
    }

    private func declaredType(of field: String, in item: ObjectClass) -> FieldType? {
        let type = item.schema?.fields[field]?.type
        return type == .asset && files.content == nil ? .string : type
    }

    // MARK: Roles

    private func readRoles() throws(ConversionError) {
        var members: [String: JoinTable] = [:]
        for join in files.joins where join.className == dialect.roleClass {
            members[join.field] = try JoinTable(join.path) { line, reason in
                conversion.report.reject(place(join.path, line), reason)
            }
        }
        guard let entry = files.classes.first(where: { $0.name == dialect.roleClass }) else { return }
        let item = ObjectClass(name: entry.name, paths: entry.paths, type: entry.name, number: 0)
        var lists: [String: [String]] = [:]
        for list in files.roles { lists[list.name, default: []] += try userIDs(in: list.path) }
        try forEachObject(of: item, reports: true) { object, place throws(ConversionError) in
            guard let name = object.roleName else { return }
            guard roleNames.known(name) == nil else {
                conversion.report.reject(place, "another role has the name \(name)")
                return
            }
            let local = roleNames.name(for: name)
            if local != name { conversion.report.note("role \(name)", "the role is called \(local) here") }
            let users = object.users + (members["users"]?.members(of: object.id) ?? []) + (lists[name] ?? [])
            let included = object.roles + (members["roles"]?.members(of: object.id) ?? [])
            if dialect.scope == "ncmb", users.isEmpty, included.isEmpty {
                conversion.report.note("role \(name)", "the export has no members of the role")
            }
            roles.append(ForeignRole(id: object.id, name: local, users: users, roles: included))
        }
    }

    /// Returns the identifiers of the users in a list.
    private func userIDs(in path: String) throws(ConversionError) -> [String] {
        let users = ObjectClass(name: dialect.userClass, paths: [path], type: "", number: 0)
        var ids: [String] = []
        try forEachObject(of: users, reports: true) { object, _ throws(ConversionError) in ids.append(object.id) }
        return ids
    }

    private func writeRoles() throws(ConversionError) {
        let names = Dictionary(roles.map { ($0.id, $0.name) }) { first, _ in first }
        let included = roles.map { role in
            (name: role.name, includes: role.roles.compactMap { names[$0] })
        }
        let (order, circles) = RoleOrder.sort(included)
        for circle in circles {
            conversion.report.note(
                "role \(circle.role)",
                "the role \(circle.included) was left out as a member, because it includes this one")
        }
        let byName = Dictionary(zip(roles.map(\.name), roles.indices)) { first, _ in first }
        for name in order {
            guard let index = byName[name] else { continue }
            var members: [String] = []
            var known: Set<String> = []
            for id in roles[index].users {
                let user = conversion.account(dialect.scope, id)
                if !conversion.hasAccount(user) {
                    conversion.report.note("role \(name)", "members without an account were left out")
                } else if known.insert(user).inserted {
                    members.append(user)
                }
            }
            for included in included[index].includes
            where !circles.contains(where: { $0 == (name, included) }) && known.insert("role:" + included).inserted {
                members.append("role:" + included)
            }
            try conversion.writer.role(name, members: members)
            conversion.report.roles += 1
        }
    }

    // MARK: Reading

    /// Reads the objects of a class.
    ///
    /// - Parameters:
    ///   - reports: Whether the report gets the objects that make no record.
    ///   - body: Called with each object and its place.
    func forEachObject(
        of item: ObjectClass, reports: Bool,
        _ body: (_ object: ForeignObject, _ place: String) throws(ConversionError) -> Void
    ) throws(ConversionError) {
        let declared = item.schema?.fields ?? [:]
        var found: Set<Int> = []
        for path in item.paths {
            var documents = try JSONDocuments(path)
            while let document = try documents.next() {
                let place = place(path, document.line)
                let object: ForeignObject
                do throws(ObjectProblem) {
                    object = try read(document, of: item.name, declared)
                    let hash = key(object.id, of: item).hashValue
                    if item.doubled.contains(hash), !found.insert(hash).inserted {
                        throw ObjectProblem(
                            reason: "another object of the class has the objectId \(object.id.prefix(64))")
                    }
                } catch {
                    if reports { reject(place, error.reason, item) }
                    continue
                }
                try body(object, place)
            }
        }
    }

    /// Returns what must be unique in all classes. The identifiers of users do not become record names as they are.
    private func key(_ id: String, of item: ObjectClass) -> String {
        item.name == dialect.userClass ? dialect.userClass + "/" + id : id
    }

    func reject(_ place: String, _ reason: String, _ item: ObjectClass) {
        conversion.report.reject(place, reason)
        if let row = item.row { conversion.report.rows[row].rejected += 1 }
    }

    private func read(
        _ document: JSONDocuments.Document, of name: String, _ declared: [String: DeclaredField]
    ) throws(ObjectProblem) -> ForeignObject {
        guard let bytes = document.bytes else {
            throw ObjectProblem(reason: "the object has more than \(JSONDocuments.mostBytes >> 20) MiB")
        }
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(bytes) } catch {
            throw ObjectProblem(reason: "the object is no JSON: \(error.reason) at byte \(error.offset) of it")
        }
        guard let object = value.object else { throw ObjectProblem(reason: "this is no object") }
        var result = try dialect.read(object, of: name, declared: declared)
        if files.content == nil {
            // What NCMB stores of a file is a record with its name alone then.
            if dialect.scope == "ncmb", name == "file" { result.fields.removeAll { $0.name == "content" } }
            result.fields = result.fields.map { ($0.name, withoutFile($0.value)) }
        }
        return result
    }

    /// Returns the URL or name of a file instead of the file.
    private func withoutFile(_ value: ForeignValue) -> ForeignValue {
        switch value.content {
        case .file(let name, let url):
            return ForeignValue(content: .text(url ?? name), source: value.source)
        case .list(let values):
            return ForeignValue(content: .list(values.map(withoutFile)), source: value.source)
        default: return value
        }
    }

    private func place(_ path: String, _ line: Int) -> String {
        "\(path.split(separator: "/").last.map(String.init) ?? path):\(line)"
    }
}
