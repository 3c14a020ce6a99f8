import Glibc

/// The environment of the process.
enum ProcessEnvironment {
    /// All environment variables by name.
    static var all: [String: String] {
        var variables: [String: String] = [:]
        // This is called once at startup. The process has one thread then, so no other thread can change the
        // environment.
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}
