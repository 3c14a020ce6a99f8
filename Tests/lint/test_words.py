import unittest

from Tests.lint.words import PHRASES, advice, problems


class WordsTests(unittest.TestCase):
    def test_a_phrase_is_found_with_its_line_and_replacement(self):
        self.assertEqual(problems("A caller reads.\n/// Whoever reads it\n"),
                         [(2, "“Whoever”: write the noun: a caller, a client, a reader")])

    def test_words_within_words_and_code_are_left_alone(self):
        self.assertEqual(problems("a renewed lease; `anew`; the wholesale price"), [])

    def test_each_phrase_has_advice(self):
        for phrase in ["whomever", "were told", "taking away", "hanging on", "into the place of", "foretells"]:
            self.assertIn(advice(phrase), PHRASES.values())
            self.assertEqual(len(problems(f"x {phrase} y")), 1)


if __name__ == "__main__":
    unittest.main()
