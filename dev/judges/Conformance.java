import java.io.FileInputStream;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Asks veraPDF whether files keep to standards: pairs of a flavour (2a, ua1) and a path. A line for each rule that one breaks. */
public class Conformance {
    public static void main(String[] arguments) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        for (int at = 0; at + 1 < arguments.length; at += 2) {
            PDFAFlavour flavour = PDFAFlavour.fromString(arguments[at]);
            try (FileInputStream file = new FileInputStream(arguments[at + 1]);
                PDFAParser parser = Foundries.defaultInstance().createParser(file, flavour);
                PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false)) {
                ValidationResult result = validator.validate(parser);
                if (result.isCompliant()) continue;
                for (TestAssertion broken : result.getTestAssertions()) {
                    System.out.println(arguments[at] + " " + arguments[at + 1] + " " + broken.getRuleId().getClause() + "-"
                        + broken.getRuleId().getTestNumber() + " " + broken.getMessage());
                }
            }
        }
        System.out.println("judged");
    }
}
