from ..._missing import refuse_import

refuse_import(__name__)
