import Testing

@testable import fogbase

@Suite struct CommandAdviceTests {
    @Test(arguments: [
        ("None. GET /schema/snapshots lists them", "None. 'fogbase schema snapshots' lists them"),
        (
            "The role a does not exist. Make it with PUT /roles/a first",
            "The role a does not exist. Make it with 'fogbase roles add a USER --make' first"
        ),
        ("PUT /roles/a with its members makes it", "'fogbase roles add a USER --make' makes it"),
        ("No: remove it with PUT /schema", "No: remove it with 'fogbase schema import'"),
        // The advice for another path stays.
        ("Make it with PUT /roles/a/members/b c first", "Make it with PUT /roles/a/members/b c first"),
        ("Make it with PUT /roles/a", "Make it with PUT /roles/a"), ("Read GET /changes", "Read GET /changes"),
        ("", ""),
    ])
    func `the advice of the interface becomes that of the command line`(sentence: String, words: String) {
        #expect(CommandAdvice.words(sentence) == words)
    }
}
