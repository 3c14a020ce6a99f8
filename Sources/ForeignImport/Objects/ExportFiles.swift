/// The files of an export of Parse Server or NCMB, by their purpose.
struct ExportFiles {
    /// The files of each class, in the order of their names.
    private(set) var classes: [(name: String, paths: [String])] = []
    /// The files of relations, by class and field.
    private(set) var joins: [(className: String, field: String, path: String)] = []
    /// The schema of Parse Server.
    private(set) var schemas: [String] = []
    /// The members of roles of NCMB, which are lists of users, by the name of the role.
    private(set) var roles: [(name: String, path: String)] = []
    /// The directory with the content of files.
    private(set) var content: String?
    /// The names of files that are none of these.
    private(set) var ignored: [String] = []

    /// Finds the files.
    ///
    /// - Parameters:
    ///   - paths: Directories and files that a person names.
    ///   - content: The directory with the content of files; `nil` for `files` in a named directory.
    /// - Throws: `ConversionError` if one does not exist, or if there are none.
    init(_ paths: [String], content: String?) throws(ConversionError) {
        self.content = content
        if let content, !Directory.exists(content) { throw ConversionError(content, "There is no such directory") }
        for path in paths {
            guard Directory.hasFile(path) else { throw ConversionError(path, "There is no such file or directory") }
            guard Directory.exists(path) else {
                add(path, name: path.split(separator: "/").last.map(String.init) ?? path)
                continue
            }
            let base = path.hasSuffix("/") ? path : path + "/"
            for name in try Directory.names(in: path) {
                guard Directory.exists(base + name) else {
                    add(base + name, name: name)
                    continue
                }
                switch name {
                case "files": if content == nil { self.content = base + name }
                case "roles":
                    for role in try Directory.names(in: base + name) {
                        if let title = Self.title(role) { roles.append((title, base + name + "/" + role)) }
                    }
                default: ignored.append(name + "/")
                }
            }
        }
        guard !classes.isEmpty else {
            throw ConversionError(
                paths.first ?? ".", "There is no file of a class, whose name is that of the class and .json")
        }
    }

    private mutating func add(_ path: String, name: String) {
        guard let title = Self.title(name) else {
            ignored.append(name)
            return
        }
        let parts = title.split(separator: ":").map(String.init)
        if title == "_SCHEMA" {
            schemas.append(path)
        } else if parts.count == 3, parts[0] == "_Join" {
            joins.append((parts[2], parts[1], path))
        } else if let index = classes.firstIndex(where: { $0.name == title }) {
            classes[index].paths.append(path)
        } else {
            classes.append((title, [path]))
        }
    }

    /// Returns the name of a file without its end; `nil` for other files than those with JSON.
    private static func title(_ name: String) -> String? {
        for end in [".json", ".jsonl", ".ndjson"] where name.hasSuffix(end) && name.utf8.count > end.utf8.count {
            return String(name.dropLast(end.utf8.count))
        }
        return nil
    }
}
