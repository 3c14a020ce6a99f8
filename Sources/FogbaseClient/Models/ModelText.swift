/// A formatter that prints models on one line for logs. Unlike Swift's own format, the text has type names without
/// modules and enclosing types.
enum ModelText {
    /// Returns a line with the type and the properties of a value: `Post(title: "sea", state: published, image: nil)`.
    static func line(_ value: Any) -> String {
        if let text = value as? String { return "\"\(text)\"" }
        let mirror = Mirror(reflecting: value)
        let hasWords = value is any CustomStringConvertible
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { line($0.value) } ?? "nil"
        case .collection, .set: return "[\(parts(mirror))]"
        case .dictionary: return "[\(mirror.children.map { pair($0.value) }.joined(separator: ", "))]"
        case .enum where !hasWords:
            guard let payload = mirror.children.first else { return "\(value)" }
            let text = line(payload.value)
            return "\(payload.label ?? "")\(text.hasPrefix("(") ? text : "(\(text))")"
        case .tuple: return "(\(parts(mirror)))"
        case .struct where !hasWords, .class where !hasWords:
            return "\(type(of: value))(\(parts(mirror)))"
        default: return "\(value)"
        }
    }

    private static func parts(_ mirror: Mirror) -> String {
        mirror.children.map { child in
            // Omit labels such as `.0`, which a mirror gives to unlabeled tuple members.
            guard let label = child.label, !label.hasPrefix(".") else { return line(child.value) }
            return "\(label): \(line(child.value))"
        }.joined(separator: ", ")
    }

    private static func pair(_ value: Any) -> String {
        Mirror(reflecting: value).children.map { line($0.value) }.joined(separator: ": ")
    }
}
