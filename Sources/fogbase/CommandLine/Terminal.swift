import Glibc

/// The standard streams. They are written without buffering, so that a pipe gets each line immediately.
enum Terminal {
    /// Writes a line to standard output.
    static func say(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes a line to standard error.
    static func complain(_ line: String) {
        write(line + "\n", to: STDERR_FILENO)
    }

    /// Overwrites the current line of standard error if it is a terminal. Otherwise does nothing.
    static func showProgress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        write("\r\u{1B}[K" + text, to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                // If the stream has no reader, the error cannot be reported.
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }

    /// Whether standard input is a terminal.
    static var isInteractive: Bool {
        isatty(STDIN_FILENO) == 1
    }

    /// Asks a question that is answered by yes or no; no answer is no.
    static func ask(_ question: String) -> Bool {
        write(question, to: STDERR_FILENO)
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    /// The number of columns of the terminal on standard error; 80 if it is not known.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Prompts for a line that is not echoed, such as a password. Returns `nil` at the end of the input.
    static func readSecret(prompt: String) -> String? {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return readLine() }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        write(prompt, to: STDERR_FILENO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            write("\n", to: STDERR_FILENO)
        }
        return readLine()
    }

    /// Formats rows as columns, each as wide as its widest cell.
    static func table(_ rows: [[String]], indent: String = "") -> [String] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            var line = indent
            for (column, cell) in row.enumerated() {
                line += cell
                if column + 1 < row.count {
                    line += String(repeating: " ", count: widths[column] - cell.count + 2)
                }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
