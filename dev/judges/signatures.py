"""Signs PDFs in every way that locks them, and judges what was added to signed ones. Runs in an environment with pyHanko.

make <source.pdf> <folder> [prefix]: a signed file of each kind, <folder>/<prefix><kind>.pdf.
judge <file.pdf>...: a line of JSON for each file, with what is to be said of each of its signatures.
"""

import datetime
import json
import sys
from pathlib import Path

from asn1crypto import keys, x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign import signers
from pyhanko.sign.fields import FieldMDPAction, FieldMDPSpec, MDPPerm, SigFieldSpec
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.registry import SimpleCertificateStore


def certify(permission):
    return {"certify": True, "docmdp_permissions": permission}, {}


def lock(action, fields=None, permission=None):
    rules = FieldMDPSpec(action, fields=fields)
    return {}, {"field_mdp_spec": rules, "doc_mdp_update_value": permission}


KINDS = {
    "approved": ({}, {}),
    "certified-1": certify(MDPPerm.NO_CHANGES),
    "certified-2": certify(MDPPerm.FILL_FORMS),
    "certified-3": certify(MDPPerm.ANNOTATE),
    "locked-all": lock(FieldMDPAction.ALL),
    "locked-exclude": lock(FieldMDPAction.EXCLUDE, ["Other"]),
    "locked-include": lock(FieldMDPAction.INCLUDE, ["Seal1", "Mark1"]),
    "locked-include-1": lock(FieldMDPAction.INCLUDE, ["Other"], MDPPerm.NO_CHANGES),
    "locked-include-2": lock(FieldMDPAction.INCLUDE, ["Other"], MDPPerm.FILL_FORMS),
}


def make_signer():
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Somebody before")])
    start = datetime.datetime(2026, 1, 1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(datetime.datetime(2046, 1, 1))
        .add_extension(x509.KeyUsage(True, True, *[False] * 7), critical=True)
        .sign(key, hashes.SHA256())
    )
    der = key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return signers.SimpleSigner(
        signing_cert=asn1_x509.Certificate.load(certificate.public_bytes(serialization.Encoding.DER)),
        signing_key=keys.PrivateKeyInfo.load(der),
        cert_registry=SimpleCertificateStore(),
    )


def make(source, folder, prefix=""):
    signer = make_signer()
    for kind, (metadata, field) in KINDS.items():
        with open(source, "rb") as unsigned:
            writer = IncrementalPdfFileWriter(unsigned)
            signed = signers.sign_pdf(
                writer,
                signers.PdfSignatureMetadata(field_name="Before", **metadata),
                signer=signer,
                new_field_spec=SigFieldSpec("Before", **field),
            )
            Path(folder, f"{prefix}{kind}.pdf").write_bytes(signed.getbuffer())


def judge(path):
    with open(path, "rb") as file:
        reader = PdfFileReader(file)
        judged = []
        for signature in reader.embedded_regular_signatures:
            trusted = ValidationContext(trust_roots=[signature.signer_cert], allow_fetching=False)
            status = validate_pdf_signature(signature, trusted)
            level = status.modification_level
            judged.append(
                {
                    "field": signature.field_name,
                    "isIntact": status.intact and status.valid,
                    "coverage": status.coverage.name,
                    "changes": None if level is None else level.name,
                    "arePermitted": bool(status.docmdp_ok),
                    "reason": str(status.diff_result or "")[:400],
                }
            )
        return judged


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "make":
        make(*arguments)
    else:
        for argument in arguments:
            print(json.dumps(judge(argument)))
