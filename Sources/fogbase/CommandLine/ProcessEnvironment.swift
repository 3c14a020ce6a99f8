import Glibc

/// The environment of the process.
enum ProcessEnvironment {
    /// All variables by name.
    static var all: [String: String] {
        var variables: [String: String] = [:]
        // Read once at the start, while the process has one thread: nobody changes it meanwhile.
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}
