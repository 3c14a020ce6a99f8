import RecordModel
import TestSupport
import Testing

@testable import TextTables

@Suite struct TableReaderTests {
    @Test(arguments: [
        ("a,b\n1,2\n", ["1 4 a|b", "2 8 1|2", "end"]),
        ("a,b\r\n1,2\r3,4\n5,6", ["1 5 a|b", "2 9 1|2", "3 13 3|4", "4 16 5|6", "end"]),
        ("\u{FEFF}\"a\",b\n", ["1 9 \"a\"|b", "end"]),
        ("\n\r\n\ra\n", ["4 6 a", "end"]),
        ("a,b\n\n,\n\"\",\n", ["1 4 a|b", "4 11 \"\"|-", "end"]),
        ("a\n\"\"\n", ["1 2 a", "2 5 \"\"", "end"]),
        ("\"a\"\"b\",\"c\nd\r\ne\"\nf,g\n", ["1 16 \"a\"b\"|\"c\nd\r\ne\"", "4 20 f|g", "end"]),
        (" \"a\" , b ,\"c\"\t\n", ["1 15 \"a\"| b |\"c\"", "end"]),
        ("5\" x,y\"z\"\n", ["1 10 5\" x|y\"z\"", "end"]),
        ("a,b,c\n1\n1,2,3,,\n", ["1 6 a|b|c", "2 8 1", "3 16 1|2|3", "end"]),
        ("a,\"\"", ["1 4 a|\"\"", "end"]),
        ("", ["end"]),
        ("\u{FEFF}", ["end"]),
        ("\r", ["end"]),
        ("a\r", ["1 2 a", "end"]),
    ])
    func `tables are read`(_ text: String, _ expected: [String]) {
        #expect(Transcript(text, .bare).lines == expected)
    }

    @Test(arguments: [
        ("1\ta\\tb\\\\\\n\t\\N\n", ["1 14 1|a\tb\\\n|-", "end"]),
        ("\\N\t\\Nx\tN\n\t\t\n", ["1 9 -|Nx|N", "2 12 ||", "end"]),
        ("\\101\\x42\\x4a\\0\\q\t\\\n\\\t\n", ["1 22 ABJ\0q|\n\t", "end"]),
        ("1\ta\n\\.\nSELECT 1;\n", ["1 4 1|a", "end"]),
        ("1\ta\n2\n", ["1 4 1|a", "rejected 6 The row in line 2 has 1 cells, and the table 2 columns", "end"]),
        (
            "\\xE4\n",
            ["rejected 5 The row in line 1 has escapes of bytes that are not UTF-8. Write the file in UTF-8", "end"]
        ),
        ("a\n\nb\n", ["1 2 a", "2 3 ", "3 5 b", "end"]),
        ("a\\", ["1 2 a\\", "end"]),
    ])
    func `texts of COPY are read`(_ text: String, _ expected: [String]) {
        #expect(Transcript(text, .copyText).lines == expected)
    }
}
