/// A role of the source, and the roles that are its members.
struct RoleOrder {
    /// Sorts roles so that each comes after those that it includes.
    ///
    /// - Parameter roles: The roles, with the names of those that they include.
    /// - Returns: The names in order, and the inclusions that would close a circle, which are left out.
    static func sort(
        _ roles: [(name: String, includes: [String])]
    ) -> (order: [String], circles: [(role: String, included: String)]) {
        let includes = Dictionary(roles.map { ($0.name, $0.includes) }) { first, _ in first }
        var order: [String] = []
        var circles: [(role: String, included: String)] = []
        var done: Set<String> = []
        var open: Set<String> = []
        // Without recursion: a chain of roles may be as long as a file.
        for root in roles where !done.contains(root.name) {
            var stack: [(name: String, next: Int)] = [(root.name, 0)]
            open.insert(root.name)
            while let top = stack.last {
                let members = includes[top.name] ?? []
                guard top.next < members.count else {
                    order.append(top.name)
                    done.insert(top.name)
                    open.remove(top.name)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let member = members[top.next]
                if open.contains(member) {
                    circles.append((top.name, member))
                } else if !done.contains(member), includes[member] != nil {
                    open.insert(member)
                    stack.append((member, 0))
                }
            }
        }
        return (order, circles)
    }
}
