import Testing

@testable import fogbase

/// Where the console is, if no setting says so.
@Suite struct ConsoleDirectoryTests {
    @Test(arguments: [
        ("/usr/bin/fogbase", ["/usr/bin/Public", "/usr/share/fogbase/public", "./Public"]),
        ("/home/a/env/bin/fogbase", ["/home/a/env/bin/Public", "/home/a/env/share/fogbase/public", "./Public"]),
        ("/opt/fogbase/fogbase", ["/opt/fogbase/Public", "./Public"]),
        ("/cabin/fogbase", ["/cabin/Public", "./Public"]),
        ("", ["./Public"]),
    ])
    func `a package's console is in the directory share beside bin`(program: String, directories: [String]) {
        #expect(Console.standardDirectories(program: program) == directories)
    }
}
