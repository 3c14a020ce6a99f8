package import RecordModel

/// Binds the parameters of a statement in their order, and runs it:
///
/// ```swift
/// try connection.prepare("DELETE FROM role_member WHERE role = ?1 AND account = ?2").with(role, account).run()
/// ```
///
/// Overloads instead of a parameter pack: the compiler specializes each for the types of its call, so statements that run
/// for each request cost what the calls of `bind` cost. The hottest of them bind and run in two lines: a result that is used
/// is retained.
extension Statement {
    /// Binds values to the parameters from number `first` on.
    @inline(__always) @discardableResult
    package func with<A: Bindable>(
        from first: Int32 = 1, _ a: A
    ) -> Statement {
        a.bind(to: self, first)
        return self
    }

    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B
    ) -> Statement {
        with(from: first, a).with(from: first &+ 1, b)
    }

    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable, C: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B, _ c: C
    ) -> Statement {
        with(from: first, a, b).with(from: first &+ 2, c)
    }

    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable, C: Bindable, D: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Statement {
        with(from: first, a, b, c).with(from: first &+ 3, d)
    }

    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable, C: Bindable, D: Bindable, E: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Statement {
        with(from: first, a, b, c, d).with(from: first &+ 4, e)
    }

    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable, C: Bindable, D: Bindable, E: Bindable, F: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Statement {
        with(from: first, a, b, c, d, e).with(from: first &+ 5, f)
    }

    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable, C: Bindable, D: Bindable, E: Bindable, F: Bindable, G: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Statement {
        with(from: first, a, b, c, d, e, f).with(from: first &+ 6, g)
    }

    // MARK: Running

    /// Reads the rows that are left, and makes the statement ready for the next use.
    package func rows<Row>(_ read: (inout Columns) -> Row) throws(RecordError) -> [Row] {
        defer { reset() }
        var rows: [Row] = []
        while try step() {
            var columns = Columns(self)
            rows.append(read(&columns))
        }
        return rows
    }

    /// Reads the next row, if there is one, and makes the statement ready for the next use.
    @inline(__always)
    package func row<Row>(_ read: (inout Columns) -> Row) throws(RecordError) -> Row? {
        defer { reset() }
        guard try step() else { return nil }
        var columns = Columns(self)
        return read(&columns)
    }

    /// The first column of the first row; `nil` without a row or for NULL.
    package func number() throws(RecordError) -> Int64? {
        try row { $0.next(Int64?.self) } ?? nil
    }

    /// Whether there is a row.
    package func exists() throws(RecordError) -> Bool {
        defer { reset() }
        return try step()
    }

    /// Runs a statement without rows.
    ///
    /// Where nobody needs the number, `run` does: it need not wait for a server's answer.
    ///
    /// - Returns: How many rows it has inserted, updated or deleted.
    package func changedRows() throws(RecordError) -> Int {
        try run()
        return connection.changes
    }

    /// The statement, if it has a row to stand on. The caller resets it then.
    @inline(__always)
    func firstRow() throws(RecordError) -> Statement? {
        if try step() { return self }
        reset()
        return nil
    }
}
